// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A delivery that waited too long on its way to a context, or kept the context too long. Told to
/// the hook that `onLate` has set.
public struct LateDelivery: Sendable, CustomStringConvertible {
    /// The name in quotation marks, the message type, or `any name`.
    public let topic: String
    /// The file and line at which the handler was registered.
    public let origin: RegistrationSite
    /// The context on which the handler runs.
    public let context: String
    /// The time between the post and the call of the handler, in the context's mailbox. Zero if the
    /// delivery was made without waiting, because the post came from the context itself, or if a
    /// pause has kept it.
    public let waited: Duration
    /// The time since the handler was called; if it has returned, until then.
    public let took: Duration
    /// Whether the handler has not returned yet.
    public let isStillRunning: Bool

    /// The message for people: which handler, and how late.
    public var description: String {
        let call = isStillRunning ? "has been running for \(took)" : "took \(took)"
        return "the handler registered at \(origin) for \(topic) \(call) on \(context), after its "
            + "delivery had waited for \(waited)"
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A center for typed messages, for programs that do without Foundation.
///
/// ```swift
/// let center = MessageCenter()
/// let token = center.observe(ConverterAdded.self) { message in print(message.format) }
/// center.post(ConverterAdded(format: "RTF"))
/// ```
/// `NotificationCenter` in `Switchyard` drives the same engine and gives the same guarantees.
public final class MessageCenter: MessageObserving, Sendable {
    /// The engine that delivers; not for programs.
    public let _engine: _NotificationEngine

    /// A center of its own: nothing posted elsewhere is heard here.
    public init() { _engine = NotificationEngine() }

    /// Creates a center whose observers hear on `context`, unless their registration names another.
    /// The center keeps the context's thread as a registration does.
    public init(delivering context: DeliveryContext) {
        _engine = NotificationEngine(defaults: CenterDefaults(mailbox: context.mailbox))
    }

    /// Creates a center whose observers hear on the main actor, unless their registration names
    /// another context.
    public convenience init(delivering context: MainContext) {
        self.init(delivering: .mailbox(.main))
    }

    deinit { engine.close() }

    /// Posts `message`, about nothing in particular.
    ///
    /// Safe from any thread. When it returns, every handler of the posting thread's context has
    /// run, and every other delivery is in its mailbox.
    ///
    /// - Complexity: O(observers that match), whatever else is registered; a post to a group looks
    ///   at all its members (``ObservationOptions/inGroup(_:)-swift.method``).
    @inlinable
    public func post<Message: NotificationMessage>(_ message: Message) {
        // Inlined where the type is known, and with it that messages travel as themselves.
        if Message._carrier == nil {
            engine.post(asItself: message)
        } else {
            engine.post(message)
        }
    }

    /// Posts `message` about `subject`: it reaches those who observe that very instance, or an
    /// equal value, and those who observe any.
    public func post<Message: NotificationMessage>(_ message: Message, subject: Message.Subject) {
        _ = engine.post(message, about: subject, as: Subject(subject))
    }

    /// Posts `message` about an instance: it reaches those who observe that very instance, and
    /// those who observe any.
    public func post<Message: NotificationMessage>(_ message: Message, subject: Message.Subject)
    where Message.Subject: AnyObject {
        _ = engine.post(message, about: subject, as: Subject(instance: subject))
    }

    /// Ends the registrations of `observer` that were made with a method of its; none is called
    /// after this returns. Observers need not do this in `deinit`: they are not called then.
    public func removeObserver(_ observer: AnyObject) {
        engine.removeObserver(observer, topic: nil, subject: nil)
    }
}

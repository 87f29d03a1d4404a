// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Logging
internal import SwitchyardCore

/// The registration of a log with a center; see
/// ``SwitchyardCore/MessageObserving/logProblems(to:)``.
public final class ProblemLog: Sendable {
    private let listener: CenterListener
    private weak let center: (any MessageObserving)?

    init(_ listener: CenterListener, of center: any MessageObserving) {
        self.listener = listener
        self.center = center
    }

    /// Ends the log: once this has returned, no further problem is written, except one that another
    /// thread is reporting at this moment. May be called any number of times.
    public func cancel() { center?.engine.remove(listener) }
}
#endif

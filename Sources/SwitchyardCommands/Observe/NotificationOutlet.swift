// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardDistributed

/// Where `observe` puts notifications.
protocol NotificationOutlet: Sendable {
    /// Takes a notification, on the receiving thread; waits while too many are there.
    ///
    /// - Returns: Whether it was taken; not after the end.
    func take(_ notification: ReceivedNotification) -> Bool

    /// Works off what is taken, on the main thread, until the end.
    ///
    /// - Parameter end: is called when it can't go on.
    func run(orEnd end: @escaping @Sendable (ObserveSession.End) -> Void)

    /// Has ``run(orEnd:)`` return when what was taken is worked off. From any thread, once.
    ///
    /// - Parameter signal: the signal that ended it, or 0.
    func end(_ reason: ObserveSession.End, _ signal: Int32)

    /// Has ``run(orEnd:)`` return at once, for a signal that came when the end had begun. From any
    /// thread.
    func giveUp(_ signal: Int32)

    /// What became of what was taken.
    var summary: String { get }
    /// What went wrong; nil: nothing.
    var failure: String? { get }
}

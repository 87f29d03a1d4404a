// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardDistributed

/// A destination for the notifications that `observe` receives.
protocol NotificationOutlet: Sendable {
    /// Takes a notification, on the receiving thread. Waits while too many are waiting.
    ///
    /// - Returns: Whether the notification was taken; false after the end.
    func take(_ notification: ReceivedNotification) -> Bool

    /// Processes the taken notifications on the main thread, until the end.
    ///
    /// - Parameter end: called when the outlet can't go on.
    func run(orEnd end: @escaping @Sendable (ObserveSession.End) -> Void)

    /// Makes ``run(orEnd:)`` return when all taken notifications are processed. Called once, from
    /// any thread.
    ///
    /// - Parameter signal: the signal that caused the end, or 0.
    func end(_ reason: ObserveSession.End, _ signal: Int32)

    /// Told that the time is over or a first signal has come, after the end had begun because the
    /// count was reached. Called once, from any thread.
    func hurry(_ reason: ObserveSession.End, _ signal: Int32)

    /// Makes ``run(orEnd:)`` return at once, because a further signal came after the end had begun.
    /// Called from any thread.
    func giveUp(_ signal: Int32)

    /// The numbers of processed notifications, in words.
    var summary: String { get }
    /// The failures, in words; nil if there were none.
    var failure: String? { get }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
/// The pauses between attempts to connect. Guard: the connection's lock.
///
/// A pause starts at a few milliseconds, because a server that was restarted is back soon. It
/// doubles with each attempt that fails, and with each session that ends soon after it has begun: a
/// server may take each connection, and end it for the same reason.
struct ReconnectPauses: Sendable {
    /// The time after which a session's end has nothing to do with its beginning.
    static let soon = Duration.seconds(10)

    /// The beginning of the session in use.
    private var start: ContinuousClock.Instant?
    /// The number of sessions in a row that ended soon.
    private var shortSessions = 0

    /// Takes note that a session has come into use.
    mutating func begin(at now: ContinuousClock.Instant) { start = now }

    /// Takes note that the session in use has ended.
    mutating func end(at now: ContinuousClock.Instant) {
        guard let start = start.take() else { return }
        shortSessions = now - start < Self.soon ? shortSessions + 1 : 0
    }

    /// Returns the pause in milliseconds. A random part keeps a cluster's clients from connecting
    /// all at once.
    ///
    /// - Parameter tries: the number of attempts since the last session.
    func milliseconds(before tries: Int, _ options: NATSOptions) -> Int64 {
        let longest = options.longestReconnectPause.milliseconds
        // The first short session in a row may be the one of a server that is restarted.
        let doublings = min(Int64(tries) + max(0, Int64(shortSessions) - 1), 20)
        let usual = min(longest, 8 << doublings)
        return Int64.random(in: usual / 2...usual)
    }
}
#endif

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The deliveries under way that are watched, and whether they are late: a state machine over
/// times, which calls nothing.
struct LateState<Handler> {
    /// One delivery under way.
    struct Running {
        let number: UInt64
        let handler: Handler
        let began: Duration
        let waited: Duration
        /// Whether it waited for longer than the limit and the delivery before it did not: a
        /// backlog is reported once.
        let isFirstBehind: Bool
        /// Whether it was told while it runs.
        var isTold = false
    }

    private let limit: Duration
    private var running: [Running] = []
    private var lastNumber: UInt64 = 0
    private var isBehind = false
    private var hasTimer = false

    init(limit: Duration) { self.limit = limit }

    /// A delivery begins.
    ///
    /// - Parameter waited: its wait in the mailbox; nil if a pause has kept it, so that its wait
    ///   says nothing of a backlog.
    /// - Returns: Its number, and the time until which a timer is to be started, if none runs.
    mutating func begin(
        _ handler: Handler, at now: Duration, waited: Duration?
    ) -> (number: UInt64, timer: Duration?) {
        let wasBehind = isBehind
        if let waited { isBehind = waited >= limit }
        lastNumber += 1
        running.append(
            Running(
                number: lastNumber, handler: handler, began: now, waited: waited ?? .zero,
                isFirstBehind: isBehind && !wasBehind))
        if hasTimer { return (lastNumber, nil) }
        hasTimer = true
        return (lastNumber, now + limit)
    }

    /// A delivery has ended.
    ///
    /// - Returns: The delivery, and whether it was late.
    mutating func end(_ number: UInt64, at now: Duration) -> (Running, isLate: Bool)? {
        guard let index = running.lastIndex(where: { $0.number == number }) else { return nil }
        let ended = running.remove(at: index)
        let isLate = ended.isTold || ended.isFirstBehind || now - ended.began >= limit
        return (ended, isLate)
    }

    /// The timer has fired.
    ///
    /// - Returns: The deliveries that have become late while they run, and the time until which the
    ///   timer is to sleep again; nil: it is over.
    mutating func timerFired(at now: Duration) -> (late: [Running], next: Duration?) {
        var late: [Running] = []
        var next: Duration?
        for index in running.indices where !running[index].isTold {
            let due = running[index].began + limit
            if due <= now {
                running[index].isTold = true
                late.append(running[index])
            } else {
                next = min(next ?? due, due)
            }
        }
        hasTimer = next != nil
        return (late, next)
    }

    /// The timer could not sleep. The next delivery that begins has to start another one.
    mutating func timerFailed() { hasTimer = false }
}

extension LateState: Sendable where Handler: Sendable {}
extension LateState.Running: Sendable where Handler: Sendable {}

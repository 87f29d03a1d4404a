// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
/// The domain's stream's acknowledgements of this process's notifications. Guard: the transport's
/// lock.
///
/// The stream answers each notification at its reply subject, which has the notification's number.
/// The answers to one connection come in the order of the numbers. So when a later one is
/// acknowledged, an earlier acknowledgement that is missing never comes. Posting threads do no work
/// for this.
struct StreamAcks: Sendable {
    /// The subscription to acknowledgements.
    var subscription: PeerSubscription?
    /// The token of the session with the subscription; nil if there is none.
    private(set) var session: UInt64?
    /// The number of the next notification to be acknowledged; nil if there is no stream.
    private(set) var next: UInt64?
    /// Whether this process knew of a stream, and no server has said since that there is none.
    private(set) var isKnown = false
    /// Whether some thread is finding out whether there is a stream.
    var isAsking = false
    /// The number of notifications that the stream did not keep and that were not reported yet;
    /// `reason` is why it did not keep the last one.
    private(set) var untold: UInt64 = 0
    private var reason = ""
    /// Whether a notification was not kept since the last flush.
    private(set) var failsFlush = false
    /// Whether a server has said that nobody takes the posts: the stream may have gone.
    var isAlone = false
    /// The value of `next` at the last check of whether acknowledgements come.
    var lastLook: UInt64?

    /// - Parameters:
    ///   - session: the token of the session with the subscription.
    ///   - number: the number of the first notification that will be acknowledged.
    mutating func begin(
        _ subscription: PeerSubscription, on session: UInt64, from number: UInt64
    ) {
        self.subscription = subscription
        self.session = session
        isKnown = true
        next = max(next ?? 0, number)
    }

    /// Ends waiting for acknowledgements.
    ///
    /// - Parameter isGone: whether there is no stream; if not, acknowledgements can't be heard.
    /// - Returns: The subscription, for the caller to destroy without the lock.
    mutating func end(isGone: Bool) -> PeerSubscription? {
        if isGone { isKnown = false }
        defer {
            subscription = nil
            session = nil
            next = nil
        }
        return subscription
    }

    /// Records an acknowledgement.
    ///
    /// - Parameter refusal: why the stream did not keep the notification; nil if it did.
    /// - Returns: Whether a loss has to be reported, and no earlier one waits to be reported.
    mutating func hear(_ number: UInt64, _ refusal: String?) -> Bool {
        guard let next, number >= next else { return false }
        let wasTold = untold == 0
        if number > next { note(number - next, Self.silence) }
        if let refusal { note(1, refusal) }
        self.next = number + 1
        return wasTold && untold > 0
    }

    /// Counts all notifications before `number` without an acknowledgement as not kept.
    mutating func giveUp(before number: UInt64, _ reason: String) {
        guard let next, number > next else { return }
        note(number - next, reason)
        self.next = number
    }

    private static let silence = "it acknowledged those that came later"

    private mutating func note(_ count: UInt64, _ reason: String) {
        untold += count
        self.reason = reason
        failsFlush = true
    }

    mutating func takeUntold() -> (count: UInt64, reason: String)? {
        if untold == 0 { return nil }
        defer { untold = 0 }
        return (untold, reason)
    }

    /// - Returns: Whether everything posted since the last flush was kept.
    mutating func settleFlush() -> Bool {
        defer { failsFlush = false }
        return !failsFlush
    }
}
#endif

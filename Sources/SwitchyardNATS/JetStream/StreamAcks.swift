// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
/// The domain's stream's acknowledgements of this process's notifications. Guard: the transport's
/// lock.
///
/// The stream answers each notification at its reply subject, which has the notification's number.
/// The acknowledgements of what it has kept come in the order of the numbers. So when a later one
/// is acknowledged, an earlier acknowledgement that is missing never comes. Refusals, and the
/// server's word that there is no stream, overtake them: they don't wait for the stream's other
/// servers. Posting threads do no work for this.
struct StreamAcks: Sendable {
    /// The subscription to acknowledgements.
    var subscription: CallbackSubscription?
    /// The token of the session with the subscription; nil if there is none.
    private(set) var session: UInt64?
    /// The number of the next notification to be acknowledged; nil if there is no stream.
    private(set) var next: UInt64?
    /// The numbers from `next` on that the stream has refused already.
    private var early: Set<UInt64> = []
    /// The most of these. Beyond them, a refusal is taken to come in order, like an
    /// acknowledgement.
    private static let mostEarly = 10_000
    /// Whether this process knew of a stream, and no server has said since that there is none.
    private(set) var isKnown = false
    /// Whether some thread is finding out whether there is a stream.
    var isAsking = false
    /// The number of notifications that the stream did not keep and that were not reported yet;
    /// `reason` is why it did not keep the last one.
    private(set) var unreported: UInt64 = 0
    /// The part of `unreported` that had no answer. The server may have refused some of them, whose
    /// refusals are handled later.
    private var unanswered: UInt64 = 0
    private var reason = ""
    /// The number of notifications that were not kept since the last flush.
    private var unkept: UInt64 = 0
    /// The number of notifications from `next` on that never reached the stream, because a server
    /// refused them. They are reported as refused, and have no acknowledgement. Refusals do not say
    /// which notifications they are about.
    private(set) var refused: UInt64 = 0
    /// The stream's number of the message that it acknowledged last; 0 if there was none.
    private var lastSequence: UInt64 = 0
    /// Whether the stream has given numbers twice, and that was not reported yet.
    private var hasUntoldRepeat = false
    /// Whether the stream may have gone: a server has said that nobody takes the posts.
    var mayBeGone = false
    /// Whether somebody checks now and then whether acknowledgements come.
    var isChecked = false
    /// The value of `next` at the last check of whether acknowledgements come.
    var lastCheck: UInt64?

    /// - Parameters:
    ///   - session: the token of the session with the subscription.
    ///   - number: the number of the first notification that will be acknowledged.
    mutating func begin(
        _ subscription: CallbackSubscription, on session: UInt64, from number: UInt64
    ) {
        self.subscription = subscription
        self.session = session
        isKnown = true
        begin(from: number)
    }

    /// Expects acknowledgements of notifications from `number` on.
    mutating func begin(from number: UInt64) {
        next = max(next ?? 0, number)
        early = early.filter { $0 >= next ?? 0 }
        refused = 0
        passEarly()
    }

    /// Ends waiting for acknowledgements.
    ///
    /// - Parameter isGone: whether there is no stream; if not, acknowledgements can't be heard.
    /// - Returns: The subscription, for the caller to destroy without the lock.
    mutating func end(isGone: Bool) -> CallbackSubscription? {
        if isGone { isKnown = false }
        defer {
            subscription = nil
            session = nil
            next = nil
            early = []
            refused = 0
        }
        return subscription
    }

    /// The number of notifications from `next` on that need no acknowledgement any more: a server
    /// or the stream has refused them.
    var answered: UInt64 { refused + UInt64(early.count) }

    /// Records an acknowledgement.
    ///
    /// - Parameter refusal: the reason why the stream did not keep the notification; nil if it did.
    /// - Returns: Whether a loss has to be reported, and no earlier one waits to be reported.
    mutating func receive(_ number: UInt64, _ refusal: String?) -> Bool {
        guard let next, number >= next else { return false }
        let wasReported = unreported == 0
        if let refusal, number > next, early.count < Self.mostEarly {
            if early.insert(number).inserted { note(1, refusal) }
        } else {
            noteUnanswered(from: next, to: number, Self.silence)
            // Any client may publish acknowledgements, so one number may have two.
            let wasRefused = early.remove(number) != nil
            if let refusal, !wasRefused { note(1, refusal) }
            self.next = number + 1
            passEarly()
        }
        return wasReported && unreported > 0
    }

    /// Records the stream's number of a message that it has kept.
    ///
    /// A server (2.9.10) that is killed while its stream becomes empty may forget the stream's last
    /// numbers. It gives them to new messages, and may take these for handled.
    ///
    /// - Returns: Whether the stream gives numbers twice, which has to be reported.
    mutating func note(sequence: UInt64) -> Bool {
        defer { lastSequence = sequence }
        if sequence > lastSequence { return false }
        defer { hasUntoldRepeat = true }
        return !hasUntoldRepeat
    }

    /// Records the number of the stream's last message, as a new connection finds it.
    ///
    /// - Returns: Whether the stream has forgotten messages of this process, which has to be
    ///   reported.
    mutating func note(last: UInt64) -> Bool {
        if last >= lastSequence { return false }
        lastSequence = last
        defer { hasUntoldRepeat = true }
        return !hasUntoldRepeat
    }

    mutating func takeUntoldRepeat() -> Bool {
        defer { hasUntoldRepeat = false }
        return hasUntoldRepeat
    }

    /// Counts all notifications before `number` without an acknowledgement as not kept.
    mutating func giveUp(before number: UInt64, _ reason: String) {
        guard let next, number > next else { return }
        noteUnanswered(from: next, to: number, reason)
        self.next = number
        passEarly()
    }

    /// Goes on behind numbers that the stream has refused already.
    private mutating func passEarly() {
        while let next, early.remove(next) != nil { self.next = next + 1 }
    }

    /// Records that a server refused notifications, which therefore have no acknowledgement.
    ///
    /// - Parameter last: the number of the last notification that was sent.
    mutating func refuse(_ count: UInt64, upTo last: UInt64) {
        // Some posts may have been counted as not kept, before their refusals were handled.
        let counted = min(count, unanswered)
        unanswered -= counted
        unreported -= counted
        unkept -= min(unkept, counted)
        guard let next, next <= last else { return }
        let open = last - next + 1
        refused = min(refused + (count - counted), open - min(UInt64(early.count), open))
    }

    private static let silence = "it acknowledged those that came later"

    /// Counts the numbers from `first` up to `end`, without it, that had no answer.
    private mutating func noteUnanswered(from first: UInt64, to end: UInt64, _ reason: String) {
        if first == end { return }
        let answered = early.count { $0 < end }
        if !early.isEmpty { early = early.filter { $0 >= end } }
        let count = end - first - UInt64(answered)
        let explained = min(count, refused)
        refused -= explained
        if count == explained { return }
        unanswered += count - explained
        note(count - explained, reason)
    }

    private mutating func note(_ count: UInt64, _ reason: String) {
        unreported += count
        self.reason = reason
        unkept += count
    }

    mutating func takeUnreported() -> (count: UInt64, reason: String)? {
        if unreported == 0 { return nil }
        defer {
            unreported = 0
            unanswered = 0
        }
        return (unreported, reason)
    }

    /// - Returns: Whether everything posted since the last flush was kept.
    mutating func settleFlush() -> Bool {
        defer { unkept = 0 }
        return unkept == 0
    }
}
#endif

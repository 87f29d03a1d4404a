// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardDistributed

// Refusals by the server, which come a moment after the command that was refused.
extension NATSTransport {
    /// The milliseconds for which refusals are gathered before they are reported: there may be
    /// thousands.
    private static var gathering: Int { 100 }

    /// Records a server's refusal, and reports it. Called on a thread of libnats.
    func didRefuse(_ refusal: ServerRefusal) {
        let isNew = refusals.withLock { refusals in
            refusals.count += 1
            if refusal.subject.hasPrefix("_switchyard.") { refusals.hidesPeers = true }
            if refusal.isSubscription {
                refusals.subscriptions.insert(refusal.subject)
            } else if refusal.subject.hasPrefix(Self.acks) {
                // Each acknowledgement has its own subject. The set is bounded; the first 1,000
                // include those that are looked for.
                if refusals.publications.count < 1_000 {
                    refusals.publications.insert(refusal.subject)
                }
                return refusals.isNew(Self.acks)
            }
            return refusals.isNew(refusal.subject.text)
        }
        let wasAsked = jetStream.endRequests(
            refused: refusal.subject, Self.refusal(ofAPI: refusal.subject.description))
        // The acknowledgements of this session can't come, so waiting for them ends.
        if refusal.isSubscription, refusal.subject.covers(ackPattern) { endAcks() }
        if refusal.isSubscription, refusal.subject.hasPrefix(DurableStream.deliveryStart) {
            // Those that it is about subscribe again, and report it if that is refused as well.
            for observer in durables.withLock(\.all) { observer.wasRefused(refusal.subject) }
            return
        }
        // The code that asked gets the error. The problem hook does not.
        if wasAsked || refusal.subject.hasPrefix("$JS.API.") { return }
        if !refusal.isSubscription, refusal.subject.hasPrefix(subjects.root) {
            noteRefusedPost(refusal.subject)
        } else if isNew {
            intake?.report(problem: text(for: refusal))
        }
    }

    private static var acks: String { "$JS.ACK." }

    /// Returns one of the given subjects that this process was not allowed to use; nil if there is
    /// none.
    func refusedSubject(among subjects: Set<String>) -> String? {
        let refused = refusals.withLock { $0.subscriptions.union($0.publications) }
        return subjects.filter { refused.cover($0) }.min()
    }

    /// Forgets that this process was not allowed to subscribe to subjects that begin with a text.
    func forgetRefusals(below prefix: String) {
        refusals.withLock { refusals in
            refusals.subscriptions = refusals.subscriptions.filter { !$0.mayBegin(with: prefix) }
        }
    }

    static func refusal(ofAPI subject: String) -> NATSError {
        let other = subject.hasPrefix(DurableStream.refusedStart)
        let needed =
            other
            ? subject.split(separator: ".").prefix(2).joined(separator: ".") + ".>" : "$JS.API.>"
        return NATSError(
            "the account may not publish to \(subject), which durable observers need: have its "
                + "permissions allow \(needed)", code: .notAllowed)
    }

    private func text(for refusal: ServerRefusal) -> String {
        let subject = refusal.subject
        let allow = "have its permissions allow \(subject)"
        if !refusal.isSubscription, subject.hasPrefix(Self.acks) {
            return
                "NATS: the account may not publish to \(Self.acks)>, so durable observers are sent again "
                + "notifications that they have handled: have its permissions allow it"
        }
        if !refusal.isSubscription, subject.hasPrefix(DurableStream.refusedStart) {
            return
                "NATS: the account may not publish to \(subject), so notifications that durable "
                + "observers refuse can't be put aside: \(allow)"
        }
        if !refusal.isSubscription {
            return
                "NATS: the account may not publish to \(subject), so other processes do not know "
                + "of this one: \(allow)"
        }
        if subject.hasPrefix("_SWY.") {
            return
                "NATS: the account may not subscribe to \(subject), so this process does not learn "
                + "whether its posts are kept for durable observers: have its permissions allow _SWY.>"
        }
        return subject.hasPrefix(subjects.root)
            ? "NATS: the account may not subscribe to \(subject), and nothing is heard of it: \(allow)"
            : "NATS: the account may not subscribe to \(subject), so this process does not hear the "
                + "questions and answers of others, nor JetStream's answers: \(allow)"
    }

    // MARK: - Posts

    /// Counts a refused post, and reports it a moment later.
    private func noteRefusedPost(_ subject: RefusedSubject) {
        noteRefused(1)
        let isFirst = refusals.withLock { refusals in
            defer { refusals.unreportedPosts[subject, default: 0] += 1 }
            return refusals.unreportedPosts.isEmpty
        }
        guard isFirst else { return }
        let later = DispatchTime.now() + .milliseconds(Self.gathering)
        DispatchQueue.global().asyncAfter(deadline: later) { [weak self] in
            self?.reportRefusedPosts()
        }
    }

    /// Reports the refused posts that were not reported yet.
    func reportRefusedPosts() {
        let unreported = refusals.withLock { refusals in
            defer { refusals.unreportedPosts = [:] }
            return refusals.unreportedPosts
        }
        for (subject, count) in unreported {
            intake?.report(
                DistributedLoss(
                    peer: server, direction: .outgoing, count: count,
                    reason: "the account may not publish to \(subject): have its permissions "
                        + "allow it"))
        }
    }

    // MARK: - Settling refusals

    /// Waits until libnats's error thread has handled the refusals of everything sent before the
    /// last flush. Blocks.
    ///
    /// libnats does not tell when it has: it has if no refusal came for a while.
    func settleRefusals(_ session: NATSSession) {
        guard session.wasRefused else { return }
        let end = ContinuousClock.now + .seconds(1)
        var (count, looks) = (0, 0)
        while ContinuousClock.now < end, looks < 10 {
            let now = refusals.withLock(\.count)
            looks = now > 0 && now == count ? looks + 1 : 0
            count = now
            usleep(5_000)
        }
        reportRefusedPosts()
    }

    /// Whether a server forbids this process to exchange messages with others about the processes
    /// in the domain.
    package var isHiddenFromPeers: Bool { refusals.withLock(\.hidesPeers) }

    /// The observed subjects to which this process may not subscribe. Nothing is heard of them.
    package var refusedInterests: [String] {
        let patterns = subscriptions.withLock { $0.patterns(subjects) }
        return refusals.withLock { refusals in
            patterns.filter { refusals.subscriptions.cover($0) }.sorted()
        }
    }
}
#endif

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardConsole
internal import SwitchyardCore
internal import SwitchyardDistributed
internal import Synchronization

/// One run of `observe`. The receiving thread gives notifications to an outlet, and the main thread
/// runs the outlet.
final class ObserveSession: Sendable {
    /// The reason for which a session ended.
    enum End: Sendable {
        case signal
        case timeUp
        case counted
        case outputClosed
        case failure
    }

    /// The time to wait for processes that do not answer.
    private static let readyLimit = Duration.seconds(1)

    private let center: DistributedNotificationCenter
    private let outlet: any NotificationOutlet
    private let limit: Int
    private let isQuiet: Bool
    // Only the receiving thread writes this number.
    private let received = Atomic<Int>(0)
    private let lost = Guarded(LossSum())
    private let end = Guarded<End?>(nil)
    /// Whether the time was over, or a signal came, after the count was reached.
    private let isHurried = Atomic<Bool>(false)
    private let tokens = Guarded<[ObservationToken]>([])

    /// - Parameter count: the number of notifications after which to end.
    init(
        _ center: DistributedNotificationCenter, _ outlet: any NotificationOutlet, count: Int,
        isQuiet: Bool
    ) {
        self.center = center
        self.outlet = outlet
        self.isQuiet = isQuiet
        limit = count
    }

    /// Observes until a signal, the count, the time limit or the outlet ends it.
    func run(
        names: [String], object: String?, latestFirst: Bool, limit: TimeLimit?
    ) -> End {
        EndSignals.whenTheyCome(first: 2) { self.end(.signal, $0) }
        limit?.whenOver { self.end(.timeUp) }
        center.onLoss { [weak self] in self?.take($0) }
        center.onProblem { [weak self] problem in
            if problem.kind == .unreachable { self?.lost.withLock { $0.addUnknown() } }
            StandardErrorLog.observe.say(problem.description)
        }
        // A set, so that a notification is printed once even if its name was given twice.
        let wanted = names.isEmpty ? [nil] : Set(names).map { Notification.Name($0) }
        let tokens = wanted.map { name in
            // Observed on the receiving thread: that costs least, and holds up no other observer.
            center.observe(
                undecoded: name, of: object, on: .poster,
                options: latestFirst ? .replayingLatest : .standard
            ) { self.take($0) }
        }
        self.tokens.withLock { $0 = tokens }
        if end.withLock({ $0 }) != nil { stopObserving() }
        sayWhenReady(names)
        outlet.run { self.end($0) }
        stopObserving()
        return end.withLock { $0 } ?? .failure
    }

    private func stopObserving() {
        for token in tokens.exchange([]) { token.cancel() }
    }

    /// The numbers of received, processed and lost notifications, in words.
    var summary: String {
        "received: \(received.load(ordering: .relaxed)), \(outlet.summary), "
            + "lost: \(lost.withLock { $0 })"
    }

    // MARK: - Receiving

    private func take(_ notification: ReceivedNotification) {
        let count = received.load(ordering: .relaxed)
        if count >= limit || !outlet.take(notification) { return }
        received.store(count + 1, ordering: .relaxed)
        if count + 1 == limit { end(.counted) }
    }

    private func take(_ loss: DistributedLoss) {
        lost.withLock { $0.add(loss) }
        StandardErrorLog.observe.say(loss.description)
    }

    // MARK: - Beginning and end

    private func sayWhenReady(_ names: [String]) {
        // Even a quiet session checks whether a server refuses the subscription.
        if isQuiet, center.tracksDelivery { return }
        Task.detached { [self] in
            let missing = await center.waitUntilReady(within: Self.readyLimit)
            if end.withLock({ $0 }) != nil { return }
            // The center has reported the refusals already.
            if !NATSCluster.refusedInterests(of: center).isEmpty { return end(.failure) }
            if isQuiet { return }
            let all = center.peers.count
            let others = all == 1 ? "1 other process" : "\(all) other processes"
            StandardErrorLog.observe.say(
                missing.isEmpty
                    ? "ready, with \(others)"
                    : "ready, with \(others), of which these do not answer: \(missing.titles)")
        }
    }

    private func end(_ reason: End, _ signal: Int32 = 0) {
        let earlier = end.withLock { end in
            defer { end = end ?? reason }
            return end
        }
        if earlier == nil {
            // At once, although what was taken may take long: other processes should see that
            // nobody hears their posts any more.
            stopObserving()
            outlet.end(reason, signal)
        } else if earlier == .counted, reason == .signal || reason == .timeUp,
            !isHurried.exchange(true, ordering: .relaxed)
        {
            outlet.hurry(reason, signal)
        } else if reason == .signal, signal != SIGHUP {
            // A SIGHUP comes also when the terminal goes, at which observe ends already.
            outlet.giveUp(signal)
        }
    }
}

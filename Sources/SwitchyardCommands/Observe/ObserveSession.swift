// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardDistributed
internal import Synchronization

/// One run of `observe`: the thread that receives gives what comes to an outlet, and the main thread
/// works that off.
final class ObserveSession: Sendable {
    /// What ended it.
    enum End: Sendable {
        case signal
        case timeUp
        case counted
        case outputClosed
        case failure
    }

    /// How long processes are waited for that may have stopped.
    private static let readyLimit = Duration.seconds(1)

    private let center: DistributedNotificationCenter
    private let outlet: any NotificationOutlet
    private let limit: Int
    private let isQuiet: Bool
    // Written by the receiving thread alone.
    private let received = Atomic<Int>(0)
    private let lost = Atomic<UInt64>(0)
    private let end = Mutex<End?>(nil)

    /// - Parameter count: after how many notifications to end.
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
    func run(names: [String], object: String?, limit: TimeLimit?) -> End {
        EndSignals.whenTheyCome(first: 2) { self.end(.signal, $0) }
        if let limit {
            DispatchQueue.global().asyncAfter(deadline: .now() + limit.seconds) {
                self.end(.timeUp)
            }
        }
        center.onLoss { [weak self] in self?.take($0) }
        // Each name once: a notification is printed once.
        let wanted = names.isEmpty ? [nil] : Set(names).map { Notification.Name($0) }
        let tokens = wanted.map { name in
            // On the receiving thread: it costs least there, and holds up no other observer.
            center.observe(undecoded: name, of: object, on: .poster) { self.take($0) }
        }
        if !isQuiet { sayWhenReady(names) }
        outlet.run { self.end($0) }
        for token in tokens { token.cancel() }
        return end.withLock { $0 } ?? .failure
    }

    /// What came, and what became of it.
    var summary: String {
        "received: \(received.load(ordering: .relaxed)), \(outlet.summary), "
            + "lost: \(lost.load(ordering: .relaxed))"
    }

    // MARK: - What comes

    private func take(_ notification: ReceivedNotification) {
        let count = received.load(ordering: .relaxed)
        if count >= limit || !outlet.take(notification) { return }
        received.store(count + 1, ordering: .relaxed)
        if count + 1 == limit { end(.counted) }
    }

    private func take(_ loss: DistributedLoss) {
        lost.wrappingAdd(loss.count, ordering: .relaxed)
        Notices.observe.say(loss.description)
    }

    // MARK: - Beginning and end

    private func sayWhenReady(_ names: [String]) {
        Task.detached { [self] in
            let missing = await center.ready(within: Self.readyLimit)
            if end.withLock({ $0 }) != nil { return }
            let all = center.peers.count
            let others = all == 1 ? "1 other process" : "\(all) other processes"
            Notices.observe.say(
                missing.isEmpty
                    ? "ready, with \(others)"
                    : "ready, with \(others), of which these do not answer: \(missing.titles)")
        }
    }

    private func end(_ reason: End, _ signal: Int32 = 0) {
        let isFirst = end.withLock { end in
            defer { end = end ?? reason }
            return end == nil
        }
        if isFirst {
            outlet.end(reason, signal)
        } else if reason == .signal {
            outlet.giveUp(signal)
        }
    }
}

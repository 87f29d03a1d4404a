// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import Switchyard
internal import SwitchyardConsole
internal import SwitchyardCore
internal import SwitchyardDistributed
internal import Synchronization

/// One run of `bridge`. Posts to each of two centers the notifications that come to the other one.
final class BridgeSession: Sendable {
    /// One direction of the bridge.
    private final class Lane: Sendable {
        let passed = Atomic<Int>(0)
        let refused = Atomic<Int>(0)
        let lost = Guarded(LossSum())
        /// The reason of the last refusal. The same reason is not reported twice in succession.
        let lastRefusal = Guarded("")

        /// Returns whether the reason differs from the last one, and records it.
        func isNew(refusal: String) -> Bool {
            lastRefusal.withLock { last in
                defer { last = refusal }
                return last != refusal
            }
        }

        var words: String {
            var sum = lost.withLock { $0 }
            sum.add(UInt64(refused.load(ordering: .relaxed)))
            return "\(passed.load(ordering: .relaxed)), lost: \(sum)"
        }
    }

    /// The time to wait for processes that do not answer.
    private static let readyLimit = Duration.seconds(1)

    private let here: DistributedNotificationCenter
    private let cluster: DistributedNotificationCenter
    private let outward = Lane()
    private let inward = Lane()

    init(_ here: DistributedNotificationCenter, _ cluster: DistributedNotificationCenter) {
        self.here = here
        self.cluster = cluster
    }

    /// The other bridges of the domain; those first that carry notifications already. Two bridges
    /// would carry everything twice. ``BridgeLock`` excludes a second one; this also finds a bridge
    /// whose lock went with the domain's folder, because that was removed and made again.
    var others: [(bridge: DistributedPeer, isRunning: Bool)] {
        here.blockUntilReady(within: Self.readyLimit)
        let bridges = here.peers.filter { $0.peer.processName == here.ownPeer.processName }
        // A bridge observes nothing before it has the lock.
        let all = bridges.map { (bridge: $0.peer, isRunning: $0.interests?.isEmpty == false) }
        return all.filter(\.isRunning) + all.filter { !$0.isRunning }
    }

    /// Carries notifications until a signal ends the session.
    ///
    /// - Returns: Whether the cluster permits all subscriptions.
    func run(only names: [String], until ended: DispatchSemaphore) -> Bool {
        let wanted = names.isEmpty ? [nil] : Set(names).map { Notification.Name($0) }
        here.onLoss { [inward, outward] in
            Self.note($0, in: $0.direction == .incoming ? outward : inward)
        }
        cluster.onLoss { [inward, outward] in
            Self.note($0, in: $0.direction == .incoming ? inward : outward)
        }
        let tokens = wanted.flatMap { name in
            [
                carry(name, from: here, to: cluster, outward),
                carry(name, from: cluster, to: here, inward),
            ]
        }
        here.blockUntilReady(within: Self.readyLimit)
        cluster.blockUntilReady(within: Self.readyLimit)
        // The center has reported the refusals already.
        let isRefused = !NATSCluster.refusedInterests(of: cluster).isEmpty
        if !isRefused {
            StandardErrorLog.bridge.say("ready")
            ended.wait()
        }
        for token in tokens { token.cancel() }
        here.blockUntilFlushed(within: .seconds(5))
        cluster.blockUntilFlushed(within: .seconds(5))
        // The summary counts what is given up here, and what waits for a connection to the cluster.
        _ = here.leave()
        _ = cluster.leave()
        return !isRefused
    }

    var summary: String { "to the cluster: \(outward.words); from it: \(inward.words)" }

    private static func note(_ loss: DistributedLoss, in lane: Lane) {
        lane.lost.withLock { $0.add(loss) }
        StandardErrorLog.bridge.say(loss.description)
    }

    /// Posts to `target` the notifications that come to `source` from other processes.
    private func carry(
        _ name: Notification.Name?, from source: DistributedNotificationCenter,
        to target: DistributedNotificationCenter, _ lane: Lane
    ) -> ObservationToken {
        let own = source.ownPeer.id
        // The post is made on the receiving thread, which keeps the order, and holds the thread up
        // when the other side is slow.
        return source.observe(undecoded: name, on: .poster) { received in
            // A notification that this process posted on `source` came over the bridge.
            if received.sender.id == own { return }
            do {
                try target.post(
                    name: received.name, object: received.object, payload: received.payload,
                    options: received.deliversImmediately ? .deliverImmediately : [])
                lane.passed.wrappingAdd(1, ordering: .relaxed)
            } catch {
                // The error is not thrown: the center would report this line as the origin of a
                // user's registration.
                let count = lane.refused.wrappingAdd(1, ordering: .relaxed).newValue
                if lane.isNew(refusal: "\(error)") {
                    StandardErrorLog.bridge.say(
                        "\"\(received.name.rawValue)\" from \(received.sender) was not carried on "
                            + "(\(count) until now): \(error)")
                }
            }
        }
    }
}

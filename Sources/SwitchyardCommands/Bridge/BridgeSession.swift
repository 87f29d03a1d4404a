// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import Switchyard
internal import SwitchyardDistributed
internal import Synchronization

/// One run of `bridge`: what comes to either center is posted to the other.
final class BridgeSession: Sendable {
    /// One way over the bridge.
    private final class Lane: Sendable {
        let passed = Atomic<Int>(0)
        let refused = Atomic<Int>(0)
        let lost = Atomic<UInt64>(0)

        var words: String {
            let lost = lost.load(ordering: .relaxed) &+ UInt64(refused.load(ordering: .relaxed))
            return "\(passed.load(ordering: .relaxed)), lost: \(lost)"
        }
    }

    /// How long processes are waited for that may have stopped.
    private static let readyLimit = Duration.seconds(1)

    private let here: DistributedNotificationCenter
    private let cluster: DistributedNotificationCenter
    private let outward = Lane()
    private let inward = Lane()

    init(_ here: DistributedNotificationCenter, _ cluster: DistributedNotificationCenter) {
        self.here = here
        self.cluster = cluster
    }

    /// A bridge that was here before: two would carry everything twice. Of two that come at once, one
    /// gives way.
    var otherBridge: DistributedPeer? {
        here.blockUntilReady(within: Self.readyLimit)
        let own = here.ownPeer
        return here.peers.map(\.peer).first {
            $0.processName == own.processName && Self.age($0) < Self.age(own)
        }
    }

    /// Puts processes in the order in which they started.
    private static func age(_ peer: DistributedPeer) -> (UInt64, String) {
        let file = "/proc/\(peer.processIdentifier)/stat"
        let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        // Behind the program's name, which may contain anything; the 22nd of all.
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        return (fields.count > 19 ? UInt64(fields[19]) ?? 0 : 0, peer.id)
    }

    func run(only names: [String], until ended: DispatchSemaphore) {
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
        Notices.bridge.say("ready")
        ended.wait()
        for token in tokens { token.cancel() }
        here.blockUntilFlushed(within: .seconds(5))
        cluster.blockUntilFlushed(within: .seconds(5))
    }

    var summary: String { "to the cluster: \(outward.words); from it: \(inward.words)" }

    private static func note(_ loss: DistributedLoss, in lane: Lane) {
        lane.lost.wrappingAdd(loss.count, ordering: .relaxed)
        Notices.bridge.say(loss.description)
    }

    /// Posts to `target` what comes to `source` from others.
    private func carry(
        _ name: Notification.Name?, from source: DistributedNotificationCenter,
        to target: DistributedNotificationCenter, _ lane: Lane
    ) -> ObservationToken {
        let own = source.ownPeer.id
        // On the receiving thread: in order, and held up when the other side is.
        return source.observe(undecoded: name, on: .poster) { received in
            // What this process posted there came over the bridge.
            if received.sender.id == own { return }
            do {
                try target.post(
                    name: received.name, object: received.object, payload: received.payload,
                    options: received.deliversImmediately ? .deliverImmediately : [])
                lane.passed.wrappingAdd(1, ordering: .relaxed)
            } catch {
                lane.refused.wrappingAdd(1, ordering: .relaxed)
                throw error
            }
        }
    }
}

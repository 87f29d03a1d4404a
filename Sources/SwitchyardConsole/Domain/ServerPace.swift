// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardCore
internal import SwitchyardDistributed
internal import Synchronization

/// Keeps threads that post over a server to the pace of the processes that read.
///
/// A server accepts posts as fast as they come, and drops a process for which too much waits. So
/// all processes are pinged now and then. A ping takes the same way as the notifications, so a
/// process that answers has read everything posted before it.
final class ServerPace: Sendable {
    /// The number of posted bytes after which processes are pinged.
    private static let step = 256 * 1024
    /// The number of unanswered pings to a process beyond which posts wait for it.
    private static let mostOpen = 4
    /// The approximate size of a notification without its payload, in bytes.
    private static let overhead = 300

    private struct Reader {
        var open = 0
        /// The time of the last answer, or of the first open ping.
        var since = ContinuousClock.now
        /// Whether posts no longer wait for the process, because it did not answer.
        var isStuck = false
    }

    private let center: DistributedNotificationCenter
    private let patience: TimeLimit
    private let log: StandardErrorLog
    private let unasked = Atomic<Int>(0)
    private let readers = Guarded<[String: Reader]>([:])
    private let hasBegun = Atomic<Bool>(false)

    /// - Parameter patience: the longest time for which a process may read nothing.
    init(_ center: DistributedNotificationCenter, patience: TimeLimit, _ log: StandardErrorLog) {
        self.center = center
        self.patience = patience
        self.log = log
    }

    /// Counts posted bytes, and waits if processes are behind. Callable from any thread.
    func didPost(bytes: Int) {
        let sum = unasked.wrappingAdd(bytes + Self.overhead, ordering: .relaxed).newValue
        if sum < Self.step { return }
        unasked.store(0, ordering: .relaxed)
        // The first time, waits until the present processes are known.
        if !hasBegun.exchange(true, ordering: .relaxed) {
            center.blockUntilReady(within: patience.duration)
        }
        let peers = center.peers.map(\.peer)
        for peer in peers { ask(peer) }
        for peer in peers { wait(for: peer) }
    }

    private func ask(_ peer: DistributedPeer) {
        let mayAsk = readers.withLock { readers in
            var reader = readers[peer.id] ?? Reader()
            if reader.open > Self.mostOpen { return false }
            if reader.open == 0 { reader.since = .now }
            reader.open += 1
            readers[peer.id] = reader
            return true
        }
        guard mayAsk else { return }
        let limit = max(patience.duration * 2, .seconds(1))
        Task.detached { [self] in
            let answer = await center.ping(peer, within: limit)
            readers.withLock { readers in
                guard var reader = readers[peer.id] else { return }
                reader.open -= 1
                if answer != nil {
                    reader.since = .now
                    reader.isStuck = false
                }
                readers[peer.id] = reader
            }
        }
    }

    private func wait(for peer: DistributedPeer) {
        var time = RunningTime()
        while true {
            let skipped = time.look().skipped
            let (isBehind, isNewlyStuck) = readers.withLock { readers -> (Bool, Bool) in
                guard var reader = readers[peer.id], reader.open > Self.mostOpen,
                    !reader.isStuck
                else { return (false, false) }
                reader.since += skipped
                readers[peer.id] = reader
                guard ContinuousClock.now - reader.since >= patience.duration else {
                    return (true, false)
                }
                reader.isStuck = true
                readers[peer.id] = reader
                return (false, true)
            }
            if isNewlyStuck {
                log.say(
                    "\(peer.title) has read nothing for \(patience): posts no longer wait for it, "
                        + "and it may lose notifications")
            }
            if !isBehind { return }
            usleep(500)
        }
    }
}

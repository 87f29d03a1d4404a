// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardCore
public import SwitchyardDistributed
internal import Synchronization

/// Keeps posting threads to the pace of the processes that read, so that none of these loses
/// notifications. A process that stops reading is waited for once, for a limited time.
public final class Backpressure: Sendable {
    /// The number of bytes that may be posted between two checks.
    private static let step = 256 * 1024
    /// The number of bytes that may wait for a process. It is far below the limit at which the
    /// process loses notifications, and gives it enough to read between two checks.
    private static let mostWaiting = 8 * 1024 * 1024
    /// The number of bytes that may wait for a process that has not said yet what it observes: less
    /// is kept for such a process.
    private static let mostUndecided = 2 * 1024 * 1024

    /// The pause between two looks at the waiting notifications, in microseconds, while processes
    /// read.
    private static let shortestPause: UInt32 = 1_000
    /// The pause between two looks while no process reads anything, in microseconds.
    private static let longestPause: UInt32 = 32_000
    /// The longest time to wait for a server to take everything.
    private static let serverLimit = Duration.seconds(30)

    private let center: DistributedNotificationCenter
    private let patience: TimeLimit
    private let log: StandardErrorLog
    private let unchecked = Atomic<Int>(0)
    private let hasLost = Atomic<Bool>(false)
    /// The losses of each process, by its id.
    private let lost = Guarded<[String: LossSum]>([:])
    /// Whether a post found no room in the connection's buffer for longer than `patience`.
    private let isFull = Atomic<Bool>(false)
    /// The pace for posts over a server; nil where processes send to each other, because this
    /// process then knows how much waits.
    private let serverPace: ServerPace?
    /// The bytes that last waited for each process that does not read, by its id.
    private let stuck = Guarded<[String: Int]>([:])

    /// - Parameters:
    ///   - center: the center that posts.
    ///   - patience: the longest time for which a process may read nothing.
    ///   - log: reports processes that read nothing, and losses.
    public init(
        _ center: DistributedNotificationCenter, patience: TimeLimit, _ log: StandardErrorLog
    ) {
        self.center = center
        self.patience = patience
        self.log = log
        serverPace =
            center.tracksDelivery ? nil : ServerPace(center, patience: patience, log)
        center.onLoss { [weak self] loss in
            log.say(loss.description)
            self?.hasLost.store(true, ordering: .relaxed)
            self?.lost.withLock { $0[loss.peer.id, default: LossSum()].add(loss) }
        }
    }

    /// Counts posted bytes, and waits if processes are behind. Callable from any thread.
    public func didPost(bytes: Int) {
        if let serverPace { return serverPace.didPost(bytes: bytes) }
        let sum = unchecked.wrappingAdd(bytes, ordering: .relaxed).newValue
        if sum < Self.step { return }
        unchecked.store(0, ordering: .relaxed)
        wait(telling: true) { status in
            let most = status.interests == nil ? Self.mostUndecided : Self.mostWaiting
            return status.queuedBytes <= most
        }
    }

    /// Posts, and waits while there is no room because a server takes nothing. Callable from any
    /// thread.
    public func post<Result>(_ body: () throws -> Result) throws -> Result {
        var (time, waited) = (RunningTime(), Duration.zero)
        while true {
            do {
                let result = try body()
                isFull.store(false, ordering: .relaxed)
                return result
            } catch let error as DistributedPostError where error.code == .bufferIsFull {
                // A server that was waited for in vain is not waited for again until it takes data.
                if isFull.load(ordering: .relaxed) { throw error }
                waited += time.look().counted
                if waited >= patience.duration {
                    isFull.store(true, ordering: .relaxed)
                    throw error
                }
                usleep(2_000)
            }
        }
    }

    /// Waits until everything has left this process.
    ///
    /// - Parameter look: called at the end of the wait, while the center still knows all peers;
    ///   late ones are dropped afterwards.
    /// - Returns: Whether everything has left and nothing was lost. If not, the reason was
    ///   reported.
    public func finish(_ look: () -> Void = {}) -> Bool {
        let isThrough = waitForAll()
        look()
        return isThrough && reportBlockingPeers()
    }

    private func waitForAll() -> Bool {
        // A flush ends earlier than repeated checks do, if no process is behind.
        if !center.blockUntilFlushed(within: .milliseconds(10)).isEmpty {
            wait(telling: false) { $0.queuedBytes == 0 }
            // Only the server knows the notifications that were taken, where there is one in
            // between.
            if !center.tracksDelivery, !center.blockUntilFlushed(within: Self.serverLimit).isEmpty {
                log.say("the server did not take everything within 30s")
                return false
            }
        }
        return true
    }

    /// - Returns: Whether no process is late, and nothing was lost.
    private func reportBlockingPeers() -> Bool {
        let late = center.peers.filter { $0.queuedBytes > 0 || $0.lost > 0 }.map(\.peer)
        if late.isEmpty {
            // A process that has refused the connection may miss something that is known only now.
            _ = center.leaveWhenSettled(patience: patience.duration)
            return !hasLost.load(ordering: .relaxed)
        }
        // The late processes were waited for. The center now counts the rest as lost, and tells
        // these processes if it can. One that has left meanwhile loses nothing.
        _ = center.leave()
        let sums = lost.withLock { $0 }
        let words = late.compactMap { peer in
            sums[peer.id].map { "\(peer.title), which lost \($0.description)" }
        }
        if words.isEmpty { return !hasLost.load(ordering: .relaxed) }
        log.say(
            "some notifications did not reach the following processes, which read too late or not "
                + "at all: " + words.joined(separator: "; "))
        return false
    }

    /// Waits for the processes that read, until `isThrough` is true for all of them.
    private func wait(telling tells: Bool, until isThrough: (DistributedPeerStatus) -> Bool) {
        var lowest: [String: (bytes: Int, waited: Duration)] = [:]
        var pause = Self.shortestPause
        var time = RunningTime()
        while true {
            let late = center.peers.filter { !isThrough($0) && !isStuck($0) }
            if late.isEmpty { return }
            let waited = time.look().counted
            pause = min(pause * 2, Self.longestPause)
            for status in late {
                if let last = lowest[status.peer.id], status.queuedBytes >= last.bytes {
                    lowest[status.peer.id] = (last.bytes, last.waited + waited)
                    if last.waited + waited >= patience.duration {
                        giveUp(status, telling: tells)
                    }
                } else {
                    lowest[status.peer.id] = (status.queuedBytes, .zero)
                    pause = Self.shortestPause
                }
            }
            // Polled, because there is no event when a process has caught up. The pauses grow while
            // no process reads anything.
            usleep(pause)
        }
    }

    // MARK: - Processes that do not read

    private func giveUp(_ status: DistributedPeerStatus, telling tells: Bool) {
        let isNew = stuck.withLock {
            $0.updateValue(status.queuedBytes, forKey: status.peer.id) == nil
        }
        guard isNew, tells else { return }
        log.say(
            "\(status.peer.title) has read nothing for \(patience): posts no longer wait for it, "
                + "and it may lose notifications")
    }

    /// Returns whether a process was given up and has read nothing since.
    private func isStuck(_ status: DistributedPeerStatus) -> Bool {
        stuck.withLock { stuck in
            guard let waiting = stuck[status.peer.id] else { return false }
            let hasRead = status.queuedBytes < waiting
            stuck[status.peer.id] = hasRead ? nil : status.queuedBytes
            return !hasRead
        }
    }
}

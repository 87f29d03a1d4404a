// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardDistributed
internal import Synchronization

/// Keeps those who post to the pace of the processes that read, so that none of these loses anything;
/// one that has stopped reading is waited for once, and for so long only.
final class Outflow: Sendable {
    /// How much may be posted without looking.
    private static let step = 256 * 1024
    /// How much may wait for a process: far less than what makes it lose, and enough for it to have
    /// something to read while nobody looks.
    private static let mostWaiting = 8 * 1024 * 1024
    /// The same for a process that has not said yet what it observes: less is kept for it.
    private static let mostUndecided = 2 * 1024 * 1024

    private let center: DistributedNotificationCenter
    private static let serverLimit = Duration.seconds(30)

    private let patience: TimeLimit
    private let notices: Notices
    private let unchecked = Atomic<Int>(0)
    private let hasLost = Atomic<Bool>(false)
    /// Those that do not read: how much waited for them at last.
    private let stuck = Mutex<[String: Int]>([:])

    /// - Parameter patience: how long a process may read nothing.
    init(_ center: DistributedNotificationCenter, patience: TimeLimit, _ notices: Notices) {
        self.center = center
        self.patience = patience
        self.notices = notices
        center.onLoss { [weak self] loss in
            notices.say(loss.description)
            self?.hasLost.store(true, ordering: .relaxed)
        }
    }

    /// Says that so much was posted; waits if processes are behind. From any thread.
    func didPost(bytes: Int) {
        let sum = unchecked.wrappingAdd(bytes, ordering: .relaxed).newValue
        if sum < Self.step { return }
        unchecked.store(0, ordering: .relaxed)
        wait(telling: true) { status in
            let most = status.interests == nil ? Self.mostUndecided : Self.mostWaiting
            return status.queuedBytes <= most
        }
    }

    /// Waits until everything has left this process.
    ///
    /// - Returns: Whether it has, and nothing was lost; if not, it was told what is in the way.
    func finish() -> Bool {
        // Sooner than by looking now and then, if nothing is in the way.
        if !center.blockUntilFlushed(within: .milliseconds(10)).isEmpty {
            wait(telling: false) { $0.queuedBytes == 0 }
            // With a server in between, that alone knows.
            if center.isOnServer, !center.blockUntilFlushed(within: Self.serverLimit).isEmpty {
                notices.say("the server did not take everything within 30s")
                return false
            }
        }
        let late = center.peers.filter { $0.queuedBytes > 0 || $0.lost > 0 }.map(\.peer)
        if late.isEmpty { return !hasLost.load(ordering: .relaxed) }
        notices.say(
            "not everything reached these, which do not read, or read too late: \(late.titles)")
        return false
    }

    /// Waits for those that read, until all of them are where they should be.
    private func wait(telling tells: Bool, until isThrough: (DistributedPeerStatus) -> Bool) {
        var lowest: [String: (bytes: Int, since: ContinuousClock.Instant)] = [:]
        while true {
            let late = center.peers.filter { !isThrough($0) && !isStuck($0) }
            if late.isEmpty { return }
            let now = ContinuousClock.now
            for status in late {
                if let last = lowest[status.peer.id], status.queuedBytes >= last.bytes {
                    if now - last.since >= patience.duration {
                        giveUp(status, telling: tells)
                    }
                } else {
                    lowest[status.peer.id] = (status.queuedBytes, now)
                }
            }
            // Nothing tells when one process has caught up.
            usleep(1000)
        }
    }

    // MARK: - Those that do not read

    private func giveUp(_ status: DistributedPeerStatus, telling tells: Bool) {
        let isNew = stuck.withLock {
            $0.updateValue(status.queuedBytes, forKey: status.peer.id) == nil
        }
        guard isNew, tells else { return }
        notices.say(
            "\(status.peer.title) has read nothing for \(patience): it is not waited for, and may "
                + "lose what is posted")
    }

    /// Whether a process was given up and has read nothing since.
    private func isStuck(_ status: DistributedPeerStatus) -> Bool {
        stuck.withLock { stuck in
            guard let waiting = stuck[status.peer.id] else { return false }
            let hasRead = status.queuedBytes < waiting
            stuck[status.peer.id] = hasRead ? nil : status.queuedBytes
            return !hasRead
        }
    }
}

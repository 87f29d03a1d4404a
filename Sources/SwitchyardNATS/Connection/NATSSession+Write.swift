// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
internal import CSwitchyard
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardDistributed
internal import Synchronization

// Who posts writes as long as that is quick; in a burst, when it is enough for one write. The rest is the
// connection's thread's.
extension NATSSession {
    /// Called before something is published, and under the same lock as ``hasPublished(_:mayWrite:)``.
    func willPublish() {
        if !wantsWrite.load(ordering: .sequentiallyConsistent) { unwritten = 0 }
        isPosting.store(true, ordering: .sequentiallyConsistent)
    }

    /// Writes what was published, or has that done: in a burst, when it is enough for one write; what is
    /// left in the end is the thread's.
    func hasPublished(_ bytes: Int, mayWrite: Bool) {
        isPosting.store(false, ordering: .sequentiallyConsistent)
        guard wantsWrite.load(ordering: .sequentiallyConsistent) else { return }
        unwritten += bytes
        if mayWrite || unwritten >= Self.enough {
            // The thread may read just now: then it writes afterwards.
            _ = events.tryWithLock { _ in write() }
            unwritten = 0
        }
        if wantsWrite.load(ordering: .sequentiallyConsistent) { askToWrite() }
    }

    /// Has the thread write, once for a burst.
    func askToWrite() {
        if !isAsked.exchange(true, ordering: .sequentiallyConsistent) { connection.wake() }
    }

    /// Only by who holds `events`.
    private func write() {
        // To write nothing looks to the library as if the server had gone.
        if wantsWrite.load(ordering: .sequentiallyConsistent) {
            natsConnection_ProcessWriteEvent(handle)
        }
    }

    /// How many bytes were not written yet.
    var buffered: Int { max(0, Int(natsConnection_Buffered(handle))) }

    /// Writes until no more than `count` bytes wait, or the server has taken nothing for so long.
    ///
    /// - Returns: Whether no more wait.
    func write(untilAtMost count: Int, patience milliseconds: Int32) -> Bool {
        var waiting = buffered
        var end = switchyard_now() + UInt64(milliseconds) * 1_000_000
        while waiting > count {
            let socket = socket.load(ordering: .acquiring)
            var entry = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
            if socket < 0 || poll(&entry, 1, milliseconds) <= 0 { return false }
            // The thread may have it, and be held up.
            if !events.tryWithLock({ _ in write() }) { usleep(200) }
            let now = buffered
            if now < waiting {
                end = switchyard_now() + UInt64(milliseconds) * 1_000_000
            } else if switchyard_now() > end {
                return false
            }
            waiting = now
        }
        return true
    }

    // MARK: - Writing on the thread

    /// Nanoseconds after which what comes is no part of the burst before.
    private static var burst: UInt64 { 200_000 }
    /// Microseconds for which more is waited for, as long as more comes.
    private static let naps: [UInt32] = [50, 100, 200]
    /// So many bytes are enough for one write.
    private static var enough: Int { 32 * 1024 }

    /// In a burst, waits: what is written at once saves system calls and wake-ups, here, in the server,
    /// and wherever it sends it.
    private func waitForMore() {
        var before = -1
        for nap in Self.naps {
            let now = buffered
            if now == before || !wantsWrite.load(ordering: .sequentiallyConsistent) { return }
            before = now
            usleep(nap)
        }
    }

    /// Writes what posting threads have left to the thread.
    func writeBurst(_ poller: Poller) {
        let hasWork = wantsWrite.load(ordering: .sequentiallyConsistent)
        if hasWork, !waitsToWrite, switchyard_now() - lastWrite < Self.burst { waitForMore() }
        // From here on, who posts asks again. Also when a posting thread wrote meanwhile.
        isAsked.store(false, ordering: .sequentiallyConsistent)
        guard wantsWrite.load(ordering: .sequentiallyConsistent) || waitsToWrite else { return }
        events.withLock { _ in write() }
        lastWrite = switchyard_now()
        let waits = wantsWrite.load(ordering: .acquiring)
        if waits == waitsToWrite { return }
        waitsToWrite = waits
        let socket = socket.load(ordering: .acquiring)
        if socket >= 0 { _ = poller.watch(socket, as: token, reads: true, writes: waits) }
    }
}
#endif

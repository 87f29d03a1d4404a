// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
internal import CSwitchyard
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardDistributed
internal import Synchronization

// Writing. A posting thread writes by itself as long as that is quick, and in a burst as soon as
// enough has gathered for one write. The connection's thread writes the rest.
extension NATSSession {
    /// Prepares for a publication. Called under the same lock as ``didPublish(_:mayWrite:)``.
    func willPublish() {
        if !wantsWrite.load(ordering: .sequentiallyConsistent) { unwritten = 0 }
        isPosting.store(true, ordering: .sequentiallyConsistent)
    }

    /// Writes the published bytes if `mayWrite`, or if enough has gathered for one write. Otherwise
    /// asks the connection's thread to write them.
    func didPublish(_ bytes: Int, mayWrite: Bool) {
        isPosting.store(false, ordering: .sequentiallyConsistent)
        guard wantsWrite.load(ordering: .sequentiallyConsistent) else { return }
        unwritten += bytes
        if mayWrite || unwritten >= Self.enough, writesAtOnce {
            // If the connection's thread holds `events`, it is reading, and writes afterwards.
            _ = events.tryWithLock { _ in write() }
            unwritten = 0
        }
        if wantsWrite.load(ordering: .sequentiallyConsistent) { askToWrite() }
    }

    /// Asks the connection's thread to write, once for a burst.
    func askToWrite() {
        if !isAsked.exchange(true, ordering: .sequentiallyConsistent) { poller.wake() }
    }

    /// Writes to the server. The caller holds `events`.
    private func write() {
        // libnats takes a write event with nothing to write for the loss of the server.
        guard wantsWrite.load(ordering: .sequentiallyConsistent) else { return }
        if !isEncrypted {
            natsConnection_ProcessWriteEvent(handle)
            return
        }
        // Under TLS, libnats (3.4.1) waits until the socket takes data, and closes the connection
        // if a signal interrupts that.
        var (all, before) = (sigset_t(), sigset_t())
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        natsConnection_ProcessWriteEvent(handle)
        pthread_sigmask(SIG_SETMASK, &before, nil)
    }

    /// The number of bytes that have not been written yet.
    var buffered: Int { max(0, Int(natsConnection_Buffered(handle))) }

    /// Writes until at most `count` bytes wait, or the server has taken nothing for the time of
    /// `patience`.
    ///
    /// - Returns: Whether at most `count` bytes wait, or the server has taken some.
    func write(untilAtMost count: Int, patience: Duration) -> Bool {
        let before = buffered + held
        var (waiting, unsent) = (buffered, before)
        var end = ContinuousClock.now + patience
        while waiting > count, isWritable(by: end) {
            // The connection's thread may hold `events`, and be blocked.
            if !writesAtOnce || !events.tryWithLock({ _ in write() }) { usleep(200) }
            // A write between the two makes the sum too small, never too large.
            let below = held
            waiting = buffered
            let left = waiting + below
            if left < unsent {
                end = .now + patience
            } else if ContinuousClock.now > end {
                break
            }
            unsent = min(unsent, left)
        }
        return waiting <= count || unsent < before
    }

    /// The bytes that the system holds, where a write is put off until it holds few.
    private var held: Int {
        isEncrypted ? Int(switchyard_socket_held(socket.load(ordering: .acquiring))) : 0
    }

    /// Whether a write does not block. Under TLS, libnats (3.4.1) writes all that waits, and holds
    /// its lock until the socket has taken that: a server that stops meanwhile would hold up
    /// everybody who posts, waits with a limit, or exits.
    var writesAtOnce: Bool {
        if !isEncrypted { return true }
        let socket = socket.load(ordering: .acquiring)
        // A record of TLS, of 16 KiB at most, takes some bytes more.
        let count = buffered + buffered / 256 + 1024
        return isWritable(by: .now) && switchyard_socket_has_room(socket, count)
    }

    /// Waits until the server takes data.
    ///
    /// - Returns: Whether it does before `end`.
    private func isWritable(by end: ContinuousClock.Instant) -> Bool {
        while true {
            let socket = socket.load(ordering: .acquiring)
            if socket < 0 { return false }
            let rest = end - .now
            var entry = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
            let count = poll(&entry, 1, rest <= .zero ? 0 : CInt(clamping: rest.milliseconds))
            // A signal to the posting thread is no silence of the server.
            if count >= 0 || errno != EINTR { return count > 0 }
        }
    }

    // MARK: - Writing on the connection's thread

    /// The time in nanoseconds after which a publication does not belong to the last burst.
    private static var burst: UInt64 { 200_000 }
    /// The pauses, in microseconds, in which the connection's thread waits for more to write, as
    /// long as more comes.
    private static let naps: [UInt32] = [50, 100, 200]
    /// The number of bytes that are enough for one write.
    private static var enough: Int { 32 * 1024 }

    /// Waits for more data during a burst. One large write saves system calls and wake-ups here, in
    /// the server, and in the processes to which the server sends the data.
    private func waitForMore() {
        var before = -1
        for nap in Self.naps {
            let now = buffered
            if now == before || !wantsWrite.load(ordering: .sequentiallyConsistent) { return }
            before = now
            usleep(nap)
        }
    }

    /// Writes the data that posting threads have left to the connection's thread.
    func writeBurst() {
        let hasWork = wantsWrite.load(ordering: .sequentiallyConsistent)
        if hasWork, !waitsToWrite, switchyard_now() - lastWrite < Self.burst { waitForMore() }
        // From here on, posting threads ask again. Cleared even if a posting thread has written
        // everything meanwhile.
        isAsked.store(false, ordering: .sequentiallyConsistent)
        let pause = writePause.take()
        guard wantsWrite.load(ordering: .sequentiallyConsistent) || waitsToWrite else { return }
        if !writesAtOnce { return putOff(pause) }
        events.withLock { _ in write() }
        lastWrite = switchyard_now()
        watchForWrites(wantsWrite.load(ordering: .acquiring))
    }

    /// Puts a write off. The poller can't say when there is room for all of it, so that the
    /// connection's thread looks again after a pause, which grows.
    private func putOff(_ earlier: Int32?) {
        writePause = min(20, (earlier ?? 0) + 1)
        watchForWrites(false)
    }

    private func watchForWrites(_ waits: Bool) {
        if waits == waitsToWrite { return }
        waitsToWrite = waits
        let socket = socket.load(ordering: .acquiring)
        if socket >= 0 { _ = poller.watch(socket, as: token, reads: true, writes: waits) }
    }
}
#endif

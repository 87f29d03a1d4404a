// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import Synchronization

/// Sends waiting posts to the server when the process exits in an orderly way, and reports the
/// posts that could not be sent.
enum NATSExit {
    /// The transports that have started, and whose end is not complete. They are kept alive here.
    private static let transports: Guarded<[NATSTransport]> = {
        atexit { NATSExit.leave() }
        let transports = Guarded<[NATSTransport]>([])
        // A forked child exits as well.
        transports.holdAcrossForks()
        return transports
    }()

    static func add(_ transport: NATSTransport) {
        transports.withLock { $0.append(transport) }
    }

    static func remove(_ transport: NATSTransport) {
        transports.withLock { transports in transports.removeAll { $0 === transport } }
    }

    private static func leave() {
        let end = ContinuousClock.now + patience
        let leaving = transports.withLock { $0 }.filter {
            // The transport's own thread sends and reports.
            !$0.isForked && !$0.hasStopped.load(ordering: .sequentiallyConsistent)
        }
        // All transports flush at the same time: a server that takes nothing must not use up the
        // time of the others.
        let flushes = leaving.map { transport in (transport, Flush(transport, within: patience)) }
        let acksEnd = end + patience
        for (transport, flush) in flushes {
            let isThrough = flush.isThrough(by: end)
            // On this thread, because the problem hook is called here, and may call `exit` again.
            transport.leaveStream(
                isThrough: isThrough, within: max(.zero, min(patience, acksEnd - .now)))
        }
        while isAnyStopping, ContinuousClock.now < end { pause() }
    }

    /// Says that a transport leaves, and waits, on a thread of its own, until the server has taken
    /// what was posted.
    private final class Flush: Sendable {
        private let isThrough = Atomic<Bool>(false)
        private let hasEnded = Atomic<Bool>(false)

        init(_ transport: NATSTransport, within patience: Duration) {
            BlockingThread.run("sw-nats-leave") { [self] in
                // As when the transport is closed.
                transport.endDurables()
                transport.endQuestions()
                let isThrough = transport.sendLastPosts(by: .now + patience)
                self.isThrough.store(isThrough, ordering: .sequentiallyConsistent)
                hasEnded.store(true, ordering: .sequentiallyConsistent)
            }
        }

        func isThrough(by end: ContinuousClock.Instant) -> Bool {
            while !hasEnded.load(ordering: .sequentiallyConsistent), ContinuousClock.now < end {
                NATSExit.pause()
            }
            return isThrough.load(ordering: .sequentiallyConsistent)
        }
    }

    /// Waits a millisecond. On the thread of a transport's connection, on which a handler has
    /// called `exit`, reads and writes meanwhile: no other thread does.
    ///
    /// - Returns: Whether it did so.
    @discardableResult
    static func pause() -> Bool {
        let serves = transports.withLock { $0 }.contains { $0.serves() }
        if !serves { usleep(1_000) }
        return serves
    }

    /// The time that an exiting process gives to the server and to transports that are ending.
    private static var patience: Duration { .seconds(5) }

    /// Whether another thread is ending a transport. A hook that hears of losses may have called
    /// `exit` on such a thread, and must not wait for itself.
    private static var isAnyStopping: Bool {
        transports.withLock { transports in
            transports.contains {
                $0.hasStopped.load(ordering: .sequentiallyConsistent) && !$0.isForked
                    && $0.stoppingThread.load(ordering: .sequentiallyConsistent) != pthread_self()
            }
        }
    }
}
#endif

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardCore
internal import Synchronization

/// The patience with which a thread writes once its command is to end: what is read goes on being
/// written, and a write that has hung for a second is broken off.
///
/// A blocked write ends by a signal alone. The writing thread gets one every few milliseconds, which
/// also shows how much of a long write is done.
public final class WritePatience: Sendable {
    /// The time without a byte read after which to give up.
    private static let limit = Duration.seconds(1)

    private static let microsecondsBetweenSignals: UInt32 = 50_000

    /// The signal that breaks off a write. Where it is not handled, the system ignores it.
    private static let breaking = SIGURG

    private struct State {
        /// The thread that writes; nil before its first write and after its last.
        var writer: pthread_t?
        var isDone = false
    }

    private let state = Guarded(State())
    private let written = Atomic<Int>(0)
    private let hasRunOut = Atomic<Bool>(false)

    init() {}

    /// Whether nothing more is to be written.
    var isOver: Bool { hasRunOut.load(ordering: .relaxed) }

    /// Notes that bytes were written.
    func didWrite(_ count: Int) { written.wrappingAdd(count, ordering: .relaxed) }

    /// Makes the calling thread the one that writes. Call it before the first write.
    public func beginWriting() {
        // Without a flag: with SA_RESTART, the write would go on after the signal.
        #if canImport(Glibc)
        var action = sigaction(
            __sigaction_handler: .init(sa_handler: { _ in }), sa_mask: sigset_t(), sa_flags: 0,
            sa_restorer: nil)
        #else
        var action = sigaction()
        action.__sigaction_u.__sa_handler = { _ in }
        #endif
        sigaction(Self.breaking, &action, nil)
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, Self.breaking)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        state.withLock { $0.writer = pthread_self() }
    }

    /// Ends the writing. Call it on the writing thread, after the last write.
    public func endWriting() { state.withLock { $0 = State(writer: nil, isDone: true) } }

    /// Begins to look whether anybody reads. Callable from any thread.
    public func begin() {
        // Without a thread for it, a further signal ends the process.
        _ = SystemThread.tryToStart("patience") { [self] in
            var seen = written.load(ordering: .relaxed)
            var since = ContinuousClock.now
            while breakOff() {
                usleep(Self.microsecondsBetweenSignals)
                let now = written.load(ordering: .relaxed)
                if now != seen {
                    (seen, since) = (now, .now)
                } else if ContinuousClock.now - since > Self.limit {
                    hasRunOut.store(true, ordering: .relaxed)
                }
            }
        }
    }

    /// Breaks off a write that hangs.
    ///
    /// - Returns: False if there are no more writes.
    private func breakOff() -> Bool {
        state.withLock { state in
            if let writer = state.writer { pthread_kill(writer, Self.breaking) }
            return !state.isDone
        }
    }
}

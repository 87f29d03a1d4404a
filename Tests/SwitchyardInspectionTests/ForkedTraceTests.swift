// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Synchronization
import Testing

@testable @_spi(Engine) import SwitchyardCore

private struct Ping: NotificationMessage {}

@Suite("Traces of forked children", .timeLimit(.minutes(4))) struct ForkedTraceTests {
    @Test func `A forked child can trace, though another thread was in a table of traces`() async {
        await #expect(processExitsWith: .success) {
            let center = MessageCenter()
            let holders: [@Sendable (() -> Void) -> Void] = [
                { hold in TraceTopics.table.withLock { _ in hold() } },
                { hold in CallSites.table.withLock { _ in hold() } },
                { hold in TraceRing.newest.withLock { _ in hold() } },
            ]
            for holder in holders {
                let child = try Self.fork(while: holder)
                if child == 0 {
                    Self.endSoon()
                    let request = TraceRequest(.init(interval: 1, notesSites: true))
                    center.post(Ping())
                    let isTraced = TraceRing.all.contains { $0.end > 0 }
                    _ = (TraceTopics.after(0), CallSites.after(0))
                    withExtendedLifetime(request) {}
                    _exit(isTraced ? 0 : 1)
                }
                var status: Int32 = -1
                #expect(waitpid(child, &status, 0) == child)
                #expect(status == 0)
            }
        }
    }

    /// Ends this process after a while, if it waits for a lock that nobody holds any more.
    private static func endSoon() {
        // Threads of Dispatch block it.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGALRM)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        alarm(60)
    }

    private final class Flag: Sendable {
        private let value = Atomic<Bool>(false)
        var isSet: Bool { value.load(ordering: .acquiring) }
        func set() { value.store(true, ordering: .releasing) }
    }

    /// Forks while another thread holds a lock, which it does until the fork has returned. If the
    /// fork waits for the lock, it lets go after a while.
    private static func fork(
        while holder: @escaping @Sendable (() -> Void) -> Void
    ) throws -> Int32 {
        let symbol = try #require(dlsym(nil, "fork"))
        let (isHeld, hasForked) = (Flag(), Flag())
        Thread.detachNewThread {
            holder {
                isHeld.set()
                for _ in 0..<20_000 where !hasForked.isSet { sched_yield() }
            }
        }
        while !isHeld.isSet { sched_yield() }
        // Unsafe: Swift does not offer the function, whose type this is.
        let child = unsafeBitCast(symbol, to: (@convention(c) () -> Int32).self)()
        hasForked.set()
        return child
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import TestSupport
import Testing

@_spi(Engine) @testable import SwitchyardCore

/// Observations whose captures hold other observations: each ends in its turn.
@Suite("Endings") struct EndingTests {
    /// An object that calls a closure when it is destroyed.
    private final class Farewell: Sendable {
        private let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        deinit { body() }
        func touch() {}
    }

    @Test(.rule(15))
    func `Releasing one observer's captures may end the next observer, and release its captures`() {
        let center = MessageCenter()
        let log = Log<String>()
        let second = Guarded<ObservationToken?>(nil)
        let own = Guarded<ObservationToken?>(nil)
        let observeFirst = {
            let farewell = Farewell {
                second.withLock { $0 }?.cancel()
                log.add("ended the second")
            }
            return center.observe(Ping.self) { _ in
                farewell.touch()
                own.exchange(nil)?.cancel()
            }
        }
        let observeSecond = {
            let farewell = Farewell { log.add("captures of the second") }
            return center.observe(Ping.self) { _ in farewell.touch() }
        }
        _ = own.exchange(observeFirst())
        _ = second.exchange(observeSecond())
        center.post(Ping())
        #expect(log.entries == ["captures of the second", "ended the second"])
        _ = second.exchange(nil)
    }

    @Test(.rule(14)) func `Waiting for one observer does not wait for another's captures`() {
        let center = MessageCenter()
        let (inside, leave) = (Gate(), Gate())
        let own = Guarded<ObservationToken?>(nil)
        let observeFirst = {
            let farewell = Farewell {
                inside.arrive()
                leave.wait()
            }
            return center.observe(Ping.self) { _ in
                farewell.touch()
                own.exchange(nil)?.cancel()
            }
        }
        _ = own.exchange(observeFirst())
        let second = center.observe(Ping.self) { _ in }
        onThreads(2) { thread in
            if thread == 0 {
                center.post(Ping())
            } else {
                inside.wait()
                second.cancelAndWait()
                leave.arrive()
            }
        }
    }

    @Test func `The hooks of a center go with it, also when tokens are left`() {
        let released = Counter()
        var center: MessageCenter? = MessageCenter()
        let token = center?.observe(Ping.self) { _ in }
        do {
            let probe = Probe(released)
            center?.onProblem { _ in probe.touch() }
        }
        #expect(released.value == 0)
        center = nil
        #expect(released.value == 1)
        token?.cancel()
    }
}

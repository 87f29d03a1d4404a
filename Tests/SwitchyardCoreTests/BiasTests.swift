// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Synchronization
import TestSupport
import Testing

@_spi(Engine) @testable import SwitchyardCore

/// A thread that posts much does so without fences, until somebody wants to know what it is doing.
@Suite("Bias", .serialized) struct BiasTests {
    let center = MessageCenter()

    private var isBiased: Bool {
        HazardRecord.current(roomFor: 0).pointee.bias.load(ordering: .relaxed) == Bias.owner
    }

    /// Posts as often as the bias takes. True: the thread's record has become biased.
    private func becomesBiased() -> Bool {
        for _ in 0..<2 * Bias.fencesBetween {
            center.post(Ping())
            if isBiased { return true }
        }
        return false
    }

    // The next two tests run in processes of their own: other tests remove observers too, which
    // revokes the bias.

    @Test func `Posts bias their thread's record, and removals on other threads revoke that`()
        async
    {
        await #expect(processExitsWith: .success) { Self().isRevokedElsewhere() }
    }

    private func isRevokedElsewhere() {
        let (biased, revoked) = (Gate(), Gate())
        let token = center.observe(Ping.self) { _ in }
        onThreads(2) { [self] thread in
            if thread == 0 {
                #expect(becomesBiased() == switchyardHasHeavyFence)
                biased.arrive()
                revoked.wait()
                #expect(!isBiased)
                #expect(becomesBiased() == switchyardHasHeavyFence)
            } else {
                biased.wait()
                center.observe(Tick.self) { _ in }.cancel()
                revoked.arrive()
            }
        }
        token.cancel()
    }

    @Test func `Removals on the same thread leave the bias alone`() async {
        await #expect(processExitsWith: .success) { Self().isLeftAlone() }
    }

    private func isLeftAlone() {
        let token = center.observe(Ping.self) { _ in }
        onThreads(1) { [self] _ in
            #expect(becomesBiased() == switchyardHasHeavyFence)
            center.observe(Ping.self) { _ in }.cancel()
            #expect(isBiased == switchyardHasHeavyFence)
        }
        token.cancel()
    }

    @Test func `A record that was given up while its bias was revoked becomes biased again`()
        async
    {
        await #expect(processExitsWith: .success) { Self().isBiasedAgain() }
    }

    private func isBiasedAgain() {
        let (biased, leave) = (Gate(), Gate())
        let token = center.observe(Ping.self) { _ in }
        onThreads(2) { [self] thread in
            if thread == 0 {
                // There has to be something to revoke.
                _ = becomesBiased()
                biased.arrive()
                leave.wait()
            } else {
                biased.wait()
                // A thread that ended while another was between the two steps of a revocation.
                onThreads(1) { _ in
                    let record = HazardRecord.current(roomFor: 0)
                    record.pointee.bias.store(Bias.beingRevoked, ordering: .releasing)
                }
                center.observe(Tick.self) { _ in }.cancel()
                onThreads(1) { _ in #expect(becomesBiased() == switchyardHasHeavyFence) }
                leave.arrive()
            }
        }
        token.cancel()
    }

    @Test(.rule(13, 15))
    func `No call begins after cancel, and captures are released, under bias as well`() {
        final class Captured: Sendable {
            let hasEnded = Flag()
            let isReleased: Counter
            init(_ released: Counter) { isReleased = released }
            deinit { isReleased.add() }
        }
        let rounds = 300
        let (late, released) = (Counter(), Counter())
        let stop = Flag()
        let posts = Counter()
        onThreads(3) { [self] thread in
            guard thread == 0 else {
                while !stop.isSet {
                    center.post(Ping())
                    posts.add()
                }
                return
            }
            for _ in 0..<rounds {
                // The wait is long enough for both posters to be biased again.
                let until = posts.value + 4 * Bias.fencesBetween
                let captured = Captured(released)
                let hasEnded = captured.hasEnded
                let token = center.observe(Ping.self) { _ in
                    if captured.hasEnded.isSet { late.add() }
                }
                while posts.value < until {}
                token.cancel()
                hasEnded.set()
            }
            stop.set()
        }
        // Each poster may have begun one call before a cancellation, and seen the flag in it.
        #expect(late.value <= rounds * 2)
        #expect(released.value == rounds)
    }
}

private var switchyardHasHeavyFence: Bool {
    #if os(Linux) || arch(x86_64)
    true
    #else
    false
    #endif
}

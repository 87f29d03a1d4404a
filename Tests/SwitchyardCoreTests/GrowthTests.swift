// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import TestSupport
import Testing

@_spi(Engine) @testable import SwitchyardCore

/// The memory of a center goes back to its size before a burst, and does not pile up meanwhile.
@Suite("Growth") struct GrowthTests {
    let center = MessageCenter()

    private var table: RegistryTable {
        center.engine.registry.table.takeUnretainedValue()
    }

    private var retired: Int { center.engine.registry.state.withLock { $0.retired.count } }

    @Test func `The table is small again after 20,000 registrations for as many values`() {
        var tokens = (0..<20_000).map { center.observe(Tick.self, of: "\($0)") { _ in } }
        #expect(table.buckets.count >= 20_000)
        tokens.removeAll()
        #expect(table.buckets.count <= 64)
        #expect(retired == 0)
    }

    @Test func `Churn under one key leaves no removed observations behind`() {
        let released = Counter()
        for _ in 0..<10_000 {
            let probe = Probe(released)
            center.observe(Ping.self) { _ in probe.touch() }.cancel()
        }
        #expect(released.value == 10_000)
        let lists = table.buckets.compactMap(\.list).map { ObservationListView($0) }
        #expect(lists.map(\.count).reduce(0, +) <= 16)
        #expect(retired == 0)
    }

    @Test func `A thread that sleeps in a handler holds back what it walks, and no more`() {
        let (inside, leave) = (Gate(), Gate())
        let sleeper = center.observe(Ping.self) { ping in
            if ping.number == 1 {
                inside.arrive()
                leave.wait()
            }
        }
        onThreads(2) { [self] thread in
            if thread == 0 {
                center.post(Ping(number: 1))
            } else {
                inside.wait()
                for _ in 0..<10_000 {
                    center.observe(Ping.self) { _ in }.cancel()
                    center.observe(Tick.self) { _ in }.cancel()
                }
                // Two lists at most are retired: the one that the thread walks, and one more until
                // the next look.
                #expect(retired <= 2)
                leave.arrive()
            }
        }
        for _ in 0..<64 { center.observe(Ping.self) { _ in }.cancel() }
        #expect(retired == 0)
        sleeper.cancel()
    }

    // The thread posts once, or so often that its record becomes biased.
    @Test(arguments: [1, 3 * Bias.fencesBetween])
    func `A thread that posted and never again holds nothing back`(posts: Int) {
        let (posted, leave) = (Gate(), Gate())
        let token = center.observe(Ping.self) { _ in }
        onThreads(2) { [self] thread in
            if thread == 0 {
                for _ in 0..<posts { center.post(Ping()) }
                posted.arrive()
                leave.wait()
            } else {
                posted.wait()
                for _ in 0..<1000 { center.observe(Ping.self) { _ in }.cancel() }
                #expect(retired == 0)
                leave.arrive()
            }
        }
        token.cancel()
    }

    @Test func `A storm of registrations beside posts loses and leaves nothing`() {
        let stop = Flag()
        let heard = Counter()
        let constant = center.observe(Ping.self) { _ in heard.add() }
        let posts = Counter()
        onThreads(3) { [self] thread in
            if thread == 0 {
                for round in 0..<50 {
                    let tokens = (0..<200).map { number in
                        center.observe(Tick.self, of: "\(round) \(number)") { _ in }
                    }
                    let same = (0..<200).map { _ in center.observe(Ping.self) { _ in } }
                    withExtendedLifetime((tokens, same)) {}
                }
                stop.set()
            } else {
                while !stop.isSet {
                    posts.add()
                    center.post(Ping())
                    center.post(Tick(), subject: "1 1")
                }
            }
        }
        #expect(heard.value == posts.value)
        constant.cancel()
        #expect(center.snapshot().entries.isEmpty)
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization
import TestSupport
import Testing

@_spi(Engine) @testable import SwitchyardCore

@Suite("Handlers whose calls overlap") struct OverlappingDeliveryTests {
    private let center = MessageCenter()

    @Test(.rule(5, 9, 28))
    func `The end of a dead object's registration waits for the tasks of earlier posts`() {
        center.engine.registry.longestDeinit.store(0, ordering: .relaxed)
        let (log, executor) = (Log<Int>(), ManualTaskExecutor())
        var item: Item? = Item()
        let token = center.observe(
            Ping.self, of: item, on: .executor(executor), options: .concurrent
        ) { ping in
            await Task.yield()
            log.add(ping.number)
        }
        for number in 1...2 {
            if let item { center.post(Ping(number: number), subject: item) }
        }
        item = nil
        for _ in 0..<600 { center.observe(Tick.self) { _ in }.cancel() }
        #expect(!token.isCancelled)
        executor.runAllNewestFirst()
        #expect(log.entries.sorted() == [1, 2])
        #expect(token.isCancelled)
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import SwitchyardCore
import SwitchyardDistributedTesting
import TestSupport
import Testing

@testable import SwitchyardDistributed

@Suite("Apple's block form between processes", .timeLimit(.minutes(5)))
struct BlockFormTests {
    @Test(.rule(38)) func `The receiving thread does not wait for a block on a queue`()
        async throws
    {
        let center = try InMemoryNetwork().center(named: "lonely")
        let mayEnd = DispatchSemaphore(value: 0)
        let hasEnded = Guarded(false)
        let ended = AsyncStream.makeStream(of: Void.self)
        let observer = center.addObserver(
            forName: Notification.Name("A"), object: "text", queue: OperationQueue()
        ) { _ in
            _ = mayEnd.wait(timeout: .now() + 10)
            hasEnded.withLock { $0 = true }
            ended.continuation.finish()
        }
        center.post(name: Notification.Name("A"), object: "text")
        #expect(!hasEnded.withLock { $0 })
        mayEnd.signal()
        for await _ in ended.stream {}
        center.removeObserver(observer)
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Synchronization
import TestSupport
import Testing

@testable import SwitchyardDistributed

/// One descriptor brings the news of a removed address to all members of a process.
@Suite("News of addresses", .timeLimit(.minutes(5)))
struct AddressNewsTests {
    /// A network on which the address is removed while the member joins, and another member of the
    /// process takes the news.
    private final class VanishingNetwork: MeshNetwork {
        private let network = ScriptedNetwork()
        private let isGone = Atomic<Bool>(false)
        let hasReturned = Atomic<Bool>(false)

        func addresses() -> [String] {
            isGone.store(true, ordering: .sequentiallyConsistent)
            Mesh.addressesChanged()
            return []
        }

        func isFound(as address: String) -> Bool { !isGone.load(ordering: .sequentiallyConsistent) }

        func returnToFolder() {
            isGone.store(false, ordering: .sequentiallyConsistent)
            hasReturned.store(true, ordering: .sequentiallyConsistent)
        }

        func listen(as address: String) -> Int32 { network.listen(as: address) }
        func publish(_ address: String) {}
        func withdraw(_ address: String) {}
        func connect(to address: String) -> Int32 { -ECONNREFUSED }
        func accept(from listener: Int32) -> Int32 { -EAGAIN }
        func process(behind descriptor: Int32) -> Int32 { 1 }
        func send(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int { -Int(EPIPE) }
        func receive(into bytes: UnsafeMutableRawBufferPointer, from descriptor: Int32) -> Int {
            -Int(EPIPE)
        }
    }

    @Test(.rule(35))
    func `A process whose address goes while it joins returns, whichever thread learns it first`()
        async throws
    {
        let network = VanishingNetwork()
        let center = try DistributedNotificationCenter(
            domain: "vanishing", network: network, limits: DistributedLimits())
        center.onProblem { _ in }
        #expect(await until { network.hasReturned.load(ordering: .sequentiallyConsistent) })
        withExtendedLifetime(center) {}
    }
}

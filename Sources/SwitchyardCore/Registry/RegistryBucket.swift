// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// A bucket of a registry, as its observations know it.
final class RegistryBucket: Bucket, @unchecked Sendable {
    // Sendable: as its superclass; constant.

    /// The registry, retained. A cycle through the registry's table, cut when the center goes.
    private let registryReference: Unmanaged<Registry>

    init(_ key: Key, in registry: Registry) {
        registryReference = .passRetained(registry)
        super.init(key)
    }

    deinit { registryReference.release() }

    override var registryIdentity: UInt { registryReference._withUnsafeGuaranteedRef(\.identity) }

    override func remove(_ observation: Observation) -> WalkedLists {
        registryReference._withUnsafeGuaranteedRef { $0.remove(observation, from: self) }
    }

    override func pausedDeliveries(
        of observation: Observation, makes: Bool
    ) -> PausedDeliveries? {
        registryReference._withUnsafeGuaranteedRef {
            $0.pausedDeliveries(of: observation, makes: makes)
        }
    }

    override func takeOut() { registryReference._withUnsafeGuaranteedRef { $0.compact(self) } }

    override func endBehindMail(_ observation: Observation) {
        registryReference._withUnsafeGuaranteedRef { $0.endBehindMail(observation) }
    }

    override var walkedLists: WalkedLists {
        registryReference._withUnsafeGuaranteedRef { $0.lists(of: self) }
    }

    override func registeredOwner(of observation: Observation) -> OwnerReference? {
        registryReference._withUnsafeGuaranteedRef { $0.owner(of: observation) }
    }

    override func report(_ problem: DeliveryProblem) {
        // Kept meanwhile: the hook is the user's code, which may release the center.
        registryReference.takeUnretainedValue().hooks.report(problem)
    }

    override func countExpired() {
        registryReference._withUnsafeGuaranteedRef {
            _ = $0.hooks.expired.wrappingAdd(1, ordering: .relaxed)
        }
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// Tells at a glance that nobody observes a topic: most posts that nobody hears end here, before
/// anything is searched.
///
/// A topic counts under a part of its hash; topics that share it hide each other's absence, never
/// each other's presence.
struct PresenceFilter: ~Copyable, @unchecked Sendable {
    // Sendable: constant; what it points to is atomic. Guard for writing: the registry's lock.

    private static let size: UInt = 256
    private let counts: UnsafeMutablePointer<Atomic<UInt32>>

    init() {
        counts = .allocate(capacity: Int(Self.size))
        for index in 0..<Int(Self.size) { (counts + index).initialize(to: Atomic(0)) }
    }

    deinit {
        counts.deinitialize(count: Int(Self.size))
        counts.deallocate()
    }

    /// Whether there may be an observation of a topic with this hash.
    @inline(__always)
    func mayContain(_ hash: UInt) -> Bool {
        counts[Int(bitPattern: hash % Self.size)].load(ordering: .acquiring) != 0
    }

    func add(_ hash: UInt) {
        counts[Int(bitPattern: hash % Self.size)].wrappingAdd(1, ordering: .releasing)
    }

    func remove(_ hash: UInt) {
        counts[Int(bitPattern: hash % Self.size)].wrappingSubtract(1, ordering: .releasing)
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// The observations of one key in order of registration: an array that only grows.
///
/// Posting threads read it while it grows: an element is written, then the count is published. What
/// is removed stays, marked by its own state, until the list is replaced by a copy without it.
final class ObservationList: @unchecked Sendable {
    // Sendable: an element is written under the registry's lock, and read once it is published.

    let capacity: Int
    private let elements: UnsafeMutablePointer<Unmanaged<Observation>>
    private let published = Atomic<Int>(0)

    init(capacity: Int) {
        self.capacity = capacity
        elements = .allocate(capacity: capacity)
    }

    deinit {
        for index in 0..<count { elements[index].release() }
        elements.deallocate()
    }

    /// What posting threads write down while they walk this list.
    var address: UInt { UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }

    /// How many observations there are, those removed included.
    @inline(__always)
    var count: Int { published.load(ordering: .acquiring) }

    /// Where the first of them stands, for who protects the list.
    @inline(__always)
    var start: UnsafePointer<Unmanaged<Observation>> { UnsafePointer(elements) }

    @inline(__always)
    subscript(index: Int) -> Unmanaged<Observation> { elements[index] }

    /// Adds `observation` at the end. Guard: the registry's lock; there must be room.
    func append(_ observation: Observation) {
        let count = published.load(ordering: .relaxed)
        precondition(count < capacity)
        (elements + count).initialize(to: Unmanaged.passRetained(observation))
        published.store(count + 1, ordering: .releasing)
    }

    /// A list with what is not removed, and room for as many again. Guard: the registry's lock.
    func compacted(live: Int) -> ObservationList {
        let list = ObservationList(capacity: max(2, (live + 1) * 2))
        for index in 0..<count {
            elements[index]._withUnsafeGuaranteedRef { observation in
                if !observation.isCancelled { list.append(observation) }
            }
        }
        return list
    }
}

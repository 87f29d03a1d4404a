// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// The observations of one key in order of registration: an array that only grows.
///
/// Posting threads read it while it grows: an element is written, then the count is published. A
/// removed observation stays, marked by its own state, until the list is replaced by a copy without
/// it.
///
/// The list is one piece of memory, so that a post follows fewer pointers to its first observation.
/// The header is the capacity; the first element is the count, and the others are references to
/// observations.
final class ObservationList: ManagedBuffer<Int, Atomic<UInt>> {
    static func make(capacity: Int) -> ObservationList {
        let list = create(minimumCapacity: 1 + capacity) { _ in capacity }
        list.withUnsafeMutablePointerToElements { $0.initialize(to: Atomic(0)) }
        return unsafeDowncast(list, to: ObservationList.self)
    }

    deinit {
        for index in 0..<count { self[index].release() }
    }

    /// The word that a posting thread publishes in its record while it walks this list.
    var address: UInt { UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }

    /// The number of observations, with the removed ones.
    @inline(__always)
    var count: Int {
        withUnsafeMutablePointerToElements {
            Int(bitPattern: $0.pointee.load(ordering: .acquiring))
        }
    }

    @inline(__always)
    subscript(index: Int) -> Unmanaged<Observation> { view[index] }

    /// The observations as they are now, for a caller that keeps or protects the list.
    @inline(__always)
    var view: ObservationListView {
        withUnsafeMutablePointerToElements { ObservationListView($0) }
    }

    /// Adds `observation` at the end, if there is room. Guard: the registry's lock.
    func appendIfRoom(_ observation: Observation) -> Bool {
        withUnsafeMutablePointers { capacity, elements in
            let count = Int(bitPattern: elements.pointee.load(ordering: .relaxed))
            if count == capacity.pointee { return false }
            let reference = UInt(bitPattern: Unmanaged.passRetained(observation).toOpaque())
            (elements + 1 + count).initialize(to: Atomic(reference))
            elements.pointee.store(UInt(bitPattern: count + 1), ordering: .releasing)
            return true
        }
    }

    /// Returns a copy without removed observations, with room for a quarter more and eight: a list
    /// that was replaced once will be again. Guard: the registry's lock.
    func compacted(live: Int) -> ObservationList {
        let list = ObservationList.make(capacity: live + live / 4 + 8)
        for index in 0..<count {
            self[index]._withUnsafeGuaranteedRef { observation in
                if !observation.isCancelled { _ = list.appendIfRoom(observation) }
            }
        }
        return list
    }
}

/// The observations of a list as they were at one moment, for a caller that protects the list.
struct ObservationListView {
    private let references: UnsafeMutablePointer<Atomic<UInt>>
    let count: Int

    @inline(__always)
    init(_ elements: UnsafeMutablePointer<Atomic<UInt>>) {
        references = elements + 1
        count = Int(bitPattern: elements.pointee.load(ordering: .acquiring))
    }

    @inline(__always)
    init(_ list: Unmanaged<ObservationList>) {
        self = list._withUnsafeGuaranteedRef(\.view)
    }

    @inline(__always)
    subscript(index: Int) -> Unmanaged<Observation> {
        // Written before the count was.
        let word = (references + index).pointee.load(ordering: .relaxed)
        return .fromOpaque(UnsafeRawPointer(bitPattern: word).unsafelyUnwrapped)
    }
}

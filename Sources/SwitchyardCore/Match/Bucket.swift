// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// All observations of one topic and one subject.
final class Bucket: @unchecked Sendable {
    // Sendable: what changes is atomic, or has its guard named beside it.

    let key: Key
    /// Keeps the subject's address from being reused.
    let pin: Pin
    /// Where it belongs. A cycle through the registry's table, cut when the center goes.
    let registry: Registry

    /// The current list; null while there is none. Guard for writing: the registry's lock.
    private let current = Atomic<UnsafeRawPointer?>(nil)
    /// Whether a live observation has a priority of its own. Guard for writing: as above.
    let hasPriorities = Atomic<Bool>(false)
    /// How many have. Guard: the registry's lock.
    private var priorities = 0

    /// How many observations are not removed. Guard: the registry's lock.
    var live = 0
    /// How many removed ones are still in the list. Guard: the registry's lock.
    var dead = 0

    init(_ key: Key, in registry: Registry) {
        self.key = key
        self.registry = registry
        pin = Pin(key.subject)
    }

    deinit {
        if let list = current.load(ordering: .relaxed) {
            Unmanaged<ObservationList>.fromOpaque(list).release()
        }
    }

    /// Takes note of an observation with a priority that came or went. Guard: the registry's lock.
    func countPriorities(by change: Int) {
        priorities += change
        hasPriorities.store(priorities > 0, ordering: .releasing)
    }

    /// The current list's address, for posts to protect and walk.
    @inline(__always)
    var listAddress: UInt { UInt(bitPattern: current.load(ordering: .acquiring)) }

    /// The current list. Guard: the registry's lock.
    @inline(__always)
    var list: Unmanaged<ObservationList>? {
        current.load(ordering: .relaxed).map { .fromOpaque($0) }
    }

    /// The current list without what is removed, and with room for more. Guard: as above.
    var compactedList: ObservationList? {
        list?._withUnsafeGuaranteedRef { $0.compacted(live: live) }
    }

    /// Makes `list` the current one; what was before is the caller's to retire. Guard: as above.
    func replaceList(by list: ObservationList?) -> ObservationList? {
        let new = list.map { UnsafeRawPointer(Unmanaged.passRetained($0).toOpaque()) }
        let old = current.exchange(new, ordering: .acquiringAndReleasing)
        return old.map { Unmanaged<ObservationList>.fromOpaque($0).takeRetainedValue() }
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// Lists and tables that were replaced, and that a posting thread may still be reading.
///
/// A thread that stays inside a handler keeps the lists its posts walk, and no others: what waits
/// here is bounded by the posts under way, not by how much was replaced meanwhile.
struct Limbo: @unchecked Sendable {
    // Sendable: part of what the registry's lock guards; lists and tables have one owner each.

    private enum Item {
        case list(ObservationList, bucket: ObjectIdentifier)
        case table(RegistryTable)
    }

    private var items: [Item] = []
    /// How many items the last look left, and how often none was made since.
    private var left = 0
    private var skipped = 0

    var isEmpty: Bool { items.isEmpty }
    var count: Int { items.count }

    mutating func add(list: ObservationList, of bucket: Bucket) {
        items.append(.list(list, bucket: ObjectIdentifier(bucket)))
    }

    /// Takes over the registry's reference to `table`.
    mutating func add(table: Unmanaged<RegistryTable>) {
        items.append(.table(table.takeRetainedValue()))
    }

    /// The addresses of all lists, current and replaced, that an observation of `bucket` may be in.
    func lists(of bucket: Bucket) -> WalkedLists {
        var lists = WalkedLists(current: bucket.listAddress)
        for case .list(let list, ObjectIdentifier(bucket)) in items {
            lists.replaced.append(list.address)
        }
        return lists
    }

    /// Whether to look again, as adding and removing go by: when as much has come as the last look
    /// left, or a while has passed. A look costs a glance at every thread for every item.
    mutating func isCollectionDue() -> Bool {
        if items.isEmpty { return false }
        skipped += 1
        return items.count > left * 2 || skipped >= 64
    }

    /// Moves what no thread reads any more to `garbage`.
    ///
    /// The fences pair with what a thread publishes when it begins its search: either we see that it
    /// searches, or it sees what replaced these items. Once a search is over, the lists that it
    /// found stand in the thread's words.
    mutating func collect(from registry: Registry, into garbage: inout Garbage) {
        skipped = 0
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        _ = ThreadRecord.revokeBias()
        for record in ThreadRecord.All()
        where record.pointee.searching.load(ordering: .acquiring) == registry.identity {
            return
        }
        items.removeAll { item in
            switch item {
            case .table(let table):
                garbage.keep(table)
                return true
            case .list(let list, _):
                let address = list.address
                for record in ThreadRecord.All() where record.pointee.contains(address) {
                    return false
                }
                garbage.keep(list)
                return true
            }
        }
        left = items.count
    }
}

/// The lists in which a posting thread may come upon an observation.
struct WalkedLists {
    let current: UInt
    /// Empty, unless a thread has been walking an older list for a while: so nothing is allocated.
    var replaced: [UInt] = []

    /// Whether `record`'s thread walks one of them.
    func areWalked(by record: borrowing ThreadRecord) -> Bool {
        if current != 0, record.contains(current) { return true }
        for list in replaced where record.contains(list) { return true }
        return false
    }
}

/// Objects that were given up under a lock, to be destroyed when the lock is free: their deinits may be
/// the user's code.
struct Garbage: @unchecked Sendable {
    // Sendable: it never leaves the thread, and is the only owner of its objects.

    private var objects: [AnyObject] = []
    /// Observations cancelled under the lock, whose captures are to be released.
    private var cancelled: [Observation] = []

    mutating func keep(_ object: AnyObject) { objects.append(object) }
    mutating func keep(cancelled observation: Observation) { cancelled.append(observation) }

    /// Destroys everything. To be called without a lock.
    mutating func empty() {
        guard !objects.isEmpty || !cancelled.isEmpty else { return }
        for observation in cancelled { observation.deliveryEnded() }
        cancelled = []
        objects = []
    }
}

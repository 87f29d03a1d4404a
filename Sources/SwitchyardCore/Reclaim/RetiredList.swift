// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// Lists and tables that were replaced, and that a posting thread may still be reading.
///
/// A thread that stays inside a handler keeps the lists its posts walk, and no others: the list is
/// bounded by the posts under way, not by the number of replaced lists.
struct RetiredList: @unchecked Sendable {
    // Sendable: part of what the registry's lock guards; lists and tables have one owner each.

    private struct Item {
        let object: AnyObject
        /// The word that a thread publishes while it walks the object; zero if threads only search
        /// it.
        let address: UInt
        /// The identity of the bucket that replaced a list; zero for what threads only search.
        let owner: UInt
    }

    private var items: [Item] = []
    /// The number of items that the last look left, and of times since when there was no look.
    private var left = 0
    private var skipped = 0

    var isEmpty: Bool { items.isEmpty }
    var count: Int { items.count }

    /// Keeps `object`, which `owner` has replaced, for as long as a thread walks or may come to it.
    mutating func add(_ object: AnyObject, walkedAs address: UInt, of owner: UInt) {
        items.append(Item(object: object, address: address, owner: owner))
    }

    /// Keeps `object` for as long as a thread searches it.
    mutating func add(searched object: AnyObject) {
        items.append(Item(object: object, address: 0, owner: 0))
    }

    /// The addresses of the objects that `owner` has replaced and that threads may be walking.
    func addresses(of owner: UInt) -> [UInt] {
        var addresses: [UInt] = []
        for item in items where item.owner == owner { addresses.append(item.address) }
        return addresses
    }

    /// Whether a collection is due: as many items have come as the last one left, or 64 calls have
    /// passed. A collection looks at every thread for every item.
    mutating func isCollectionDue() -> Bool {
        if items.isEmpty { return false }
        skipped += 1
        return items.count > left * 2 || skipped >= 64
    }

    /// Gives `free` what no thread reads any more.
    ///
    /// The fences pair with the words that a thread publishes when it begins its search: either we
    /// see that it searches, or it sees what replaced these items. Once a search is over, the lists
    /// that it found stand in the thread's words.
    ///
    /// - Parameter searched: the word that threads publish while they search for these objects.
    mutating func collect(unlessSearched searched: UInt, free: (AnyObject) -> Void) {
        skipped = 0
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        _ = HazardRecord.revokeBias()
        for record in HazardRecord.All()
        where record.pointee.searching.load(ordering: .acquiring) == searched {
            return
        }
        items.removeAll { item in
            if item.address != 0 {
                for record in HazardRecord.All() where record.pointee.contains(item.address) {
                    return false
                }
            }
            free(item.object)
            return true
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
    func areWalked(by record: borrowing HazardRecord) -> Bool {
        if current != 0, record.contains(current) { return true }
        for list in replaced where record.contains(list) { return true }
        return false
    }
}

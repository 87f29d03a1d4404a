// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Synchronization

/// A thread's hazard pointers: the registry, lists and observation that it uses right now,
/// published so that no other thread frees them.
///
/// A post takes no lock and no reference. Instead its thread writes down the addresses that it
/// uses: the registry it searches, the lists it walks, and the observation whose handler it is
/// about to call. A thread that removes something looks at these records before it frees anything
/// (hazard pointers: M. Michael, IEEE TPDS 15, 2004).
///
/// The words are a stack, because a handler may post: one frame for each post or mailbox delivery
/// that the thread is inside, made of a slot for the observation being called (or ``idle``) and the
/// lists it protects. Words above the top are zero, no word below it is, so a reader stops at the
/// first zero.
///
/// Only the owning thread writes; any thread may read. Records are never freed: a thread that ends
/// leaves its record to the next one, so there are as many as there were threads posting at once.
struct HazardRecord: ~Copyable {
    typealias Pointer = UnsafeMutablePointer<HazardRecord>

    /// The slot of a frame that calls no handler at the moment.
    static let idle: UInt = 1
    static let capacity = 126

    /// The number of words in use. Owner only. The first field, because ThreadSanitizer takes a
    /// write to any of a structure's fields for one to its first.
    var top = 0
    /// The registry being searched, or zero. Published before anything is read from it.
    let searching = Atomic<UInt>(0)
    /// Whether the owner publishes with plain stores; see ``Bias``.
    let bias = Atomic<UInt8>(Bias.none)
    /// The number of publications with full fences left until the owner tries to do without. Owner
    /// only.
    var fencesLeft = Bias.fencesBetween
    /// The stack; see above.
    let words: UnsafeMutablePointer<Atomic<UInt>>
    /// The record that is current again when this one, taken because its stack was full, is empty.
    /// Owner only.
    var outer: Pointer?
    /// Whether a living thread owns this record.
    let isOwned = Atomic<Bool>(true)
    /// The system's number of the owning thread, for tools that look from outside.
    let thread = Atomic<Int32>(0)
    /// The next older record of the process. Written before the record is published, then constant.
    var next: Pointer?

    init() {
        words = .allocate(capacity: Self.capacity + 1)
        for index in 0...Self.capacity { (words + index).initialize(to: Atomic(0)) }
    }
}

// MARK: - The calling thread's record

extension HazardRecord {
    /// The calling thread's record with room for a frame of `count` lists.
    @inline(__always)
    static func current(roomFor count: Int) -> Pointer {
        if let record = switchyard_get_thread_record() {
            let pointer = record.assumingMemoryBound(to: HazardRecord.self)
            if pointer.pointee.top &+ count < capacity, !pointer.pointee.isSearching {
                return pointer
            }
        }
        return acquire()
    }

    /// Whether the thread is inside a search: an object's own `==` that posts gets a second record.
    private var isSearching: Bool { searching.load(ordering: .relaxed) != 0 }

    /// Takes a record for a thread that has none, or whose record can't take another frame.
    @inline(never)
    private static func acquire() -> Pointer {
        let outer = switchyard_get_thread_record()?.assumingMemoryBound(to: HazardRecord.self)
        let record = reuse() ?? create()
        record.pointee.outer = outer
        record.pointee.thread.store(switchyard_thread_number(), ordering: .relaxed)
        switchyard_set_thread_record(record)
        if outer == nil { ThreadEnd.watch() }
        return record
    }

    private static func reuse() -> Pointer? {
        var next = newest.load(ordering: .acquiring)
        while let record = next {
            let (won, _) = record.pointee.isOwned.compareExchange(
                expected: false, desired: true, ordering: .acquiring)
            if won {
                // A thread that wants to free an object unlinks it first, then reads the records
                // that have owners. If it passed over this record, this thread no longer finds the
                // object.
                atomicMemoryFence(ordering: .sequentiallyConsistent)
                return record
            }
            next = record.pointee.next
        }
        return nil
    }

    private static func create() -> Pointer {
        let record = Pointer.allocate(capacity: 1)
        record.initialize(to: HazardRecord())
        var newest = newest.load(ordering: .relaxed)
        while true {
            record.pointee.next = newest
            let (won, seen) = Self.newest.compareExchange(
                expected: newest, desired: record, ordering: .acquiringAndReleasing)
            if won { return record }
            newest = seen
        }
    }

    /// Gives the calling thread's records back. Called when the thread ends.
    static func release() {
        while let record = switchyard_get_thread_record()?
            .assumingMemoryBound(to: HazardRecord.self)
        {
            clear(record)
            returnToOuter(record)
        }
    }

    /// Takes out of `record` what a thread has left there that was ended inside a handler, or by an
    /// object's own `==` inside a search.
    private static func clear(_ record: Pointer) {
        // Past the top as well: the words of a search are not counted before it ends.
        for index in 0..<capacity {
            let word = record.pointee.words[index].exchange(0, ordering: .sequentiallyConsistent)
            if word == 0 { break }
            DeliveryEnds.signal(word)
        }
        record.pointee.top = 0
        record.pointee.searching.store(0, ordering: .releasing)
    }

    /// Gives back `record`, which is empty again, and makes the record under it the thread's
    /// current one.
    @inline(never)
    static func returnToOuter(_ record: Pointer) {
        switchyard_set_thread_record(record.pointee.outer)
        record.pointee.outer = nil
        record.pointee.isOwned.store(false, ordering: .releasing)
    }
}

// MARK: - Searching

extension HazardRecord {
    /// Opens a frame for a post on the calling thread's record, and says that the thread searches
    /// `registry`.
    @inline(__always)
    static func openFrame(searching registry: UInt, roomFor count: Int) -> Pointer {
        let record = current(roomFor: count)
        let slot = record.pointee.words + record.pointee.top
        slot.pointee.store(idle, ordering: .releasing)
        beginSearch(record, of: registry)
        return record
    }

    /// Says that the thread searches `registry`. Nothing found is freed until ``endSearch(_:)``,
    /// nor, after that, while it stands in ``words``.
    @inline(__always)
    static func beginSearch(_ record: Pointer, of registry: UInt) {
        record.pointee.searching.store(registry, ordering: .releasing)
        publish(record)
    }

    @inline(__always)
    static func endSearch(_ record: Pointer) {
        record.pointee.searching.store(0, ordering: .releasing)
        if record.pointee.top == 0, record.pointee.outer != nil { returnToOuter(record) }
    }

    /// Makes the words that the owner, the calling thread, has just stored in its record visible
    /// before it reads on.
    @inline(__always)
    static func publish(_ record: Pointer) {
        switchyard_light_fence()
        // The light fence was a full one if nothing reaches other cores.
        guard switchyard_has_heavy_fence() else { return }
        if record.pointee.bias.load(ordering: .acquiring) != Bias.owner { fence(record) }
    }

    @inline(never)
    private static func fence(_ record: Pointer) {
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        record.pointee.fencesLeft -= 1
        guard record.pointee.fencesLeft == 0 else { return }
        record.pointee.fencesLeft = Bias.fencesBetween
        // Fails while another thread revokes; then the next time.
        _ = record.pointee.bias.compareExchange(
            expected: Bias.none, desired: Bias.owner, ordering: .sequentiallyConsistent)
    }
}

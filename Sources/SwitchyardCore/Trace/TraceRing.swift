// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Synchronization

/// The newest trace events of one thread.
///
/// Its thread alone writes, and never waits: a new event overwrites the oldest. Anyone may read, at
/// the same time, and learns exactly how many events were overwritten before they were read.
/// `Models/ring.pml` explores every order of their steps.
///
/// A ring is made at a thread's first event and never freed: a thread that ends leaves it to the
/// next one. Its memory goes back to the system when nobody traces any more.
package final class TraceRing: @unchecked Sendable {
    // Sendable: what readers see is atomic. The rest belongs to the owning thread.

    /// The number of events that it holds.
    package static let capacity: UInt64 = 4096
    static let wordsOfEvent = 4
    private static let size = Int(capacity) * wordsOfEvent * 8

    private let isOwned = Atomic<Bool>(true)
    /// The system's number of the owning thread.
    private let owner = Atomic<Int32>(0)
    /// The ring's number, in the upper bits of the numbers of its posts.
    package let number: UInt64
    /// The next older ring.
    private let next: TraceRing?
    /// The owner's side. Never freed.
    let writer: TraceWriter.Pointer

    /// A ring in front of those that there are; nil if there is no memory for it.
    init?(before next: TraceRing?) {
        guard let pages = switchyard_pages_allocate(Self.size) else { return nil }
        // On lines of its own: each traced post writes there.
        writer = UnsafeMutableRawPointer.allocate(
            byteCount: MemoryLayout<TraceWriter>.stride, alignment: 128
        ).bindMemory(to: TraceWriter.self, capacity: 1)
        self.next = next
        number = (next?.number ?? 0) + 1
        // Zeros, which is what these would be initialized to.
        let words = pages.bindMemory(
            to: Atomic<UInt64>.self, capacity: Int(Self.capacity) * Self.wordsOfEvent)
        writer.initialize(to: TraceWriter(of: self, words))
    }

    /// Adds an event. Owner only.
    func append(_ event: TraceEvent) {
        writer.append(event.ticks, event.post, event.subject, event.summary)
    }
}

// MARK: - Reading

extension TraceRing {
    /// The position in a ring up to which somebody has read.
    package typealias Cursor = UInt64

    /// The position behind the newest event.
    package var end: Cursor { writer.pointee.written.load(ordering: .acquiring) }

    /// The system's number of the thread that writes, or wrote last.
    package var thread: Int32 { owner.load(ordering: .relaxed) }

    /// Calls `body` with the events after `cursor`, in their order, and moves `cursor` behind them.
    ///
    /// - Returns: The number of events after `cursor` that were overwritten before they could be
    ///   read.
    package func read(from cursor: inout Cursor, _ body: (TraceEvent) -> Void) -> UInt64 {
        let end = self.end
        let first = max(cursor, Self.oldest(before: end))
        let events = (first..<max(first, end)).map(event)
        // While these were copied, the writer may have begun to overwrite the oldest, one of them
        // in part.
        let intact = max(first, Self.oldest(before: self.end + 1))
        let overwritten = min(intact, end) - cursor
        for event in events.dropFirst(Int(intact - first)) { if let event { body(event) } }
        cursor = end
        return overwritten
    }

    /// The index of the oldest event that is kept when `count` were written.
    private static func oldest(before count: UInt64) -> UInt64 {
        count > capacity ? count - capacity : 0
    }

    private func event(_ index: UInt64) -> TraceEvent? {
        let slot = writer.pointee.words + Int(index % Self.capacity) * Self.wordsOfEvent
        let ticks = slot[0].load(ordering: .acquiring)
        // An event that was written while the ring was emptied is not whole.
        if ticks == 0 { return nil }
        return TraceEvent(
            ticks, slot[1].load(ordering: .acquiring),
            slot[2].load(ordering: .acquiring), slot[3].load(ordering: .acquiring))
    }

    /// Gives the memory back, with the events. A thread may be writing: its event is kept, or not.
    func empty() { switchyard_pages_empty(writer.pointee.words, Self.size) }
}

// MARK: - The calling thread's ring

extension TraceRing: EndsWithThread {
    /// All rings of the process: the newest, which knows the older ones.
    static let newest = Guarded<TraceRing?>(nil)

    /// Has forks wait for the list of rings, so that a child in which somebody traces can use it.
    static func holdAcrossForks() { newest.holdAcrossForks() }

    /// All rings, the newest first.
    package static var all: [TraceRing] {
        Array(sequence(first: newest.withLock { $0 }) { $0?.next }.lazy.compactMap { $0 })
    }

    /// The calling thread's ring; nil if there is no memory for one.
    static var current: TraceRing? {
        TraceWriter.current?.pointee.ring.takeUnretainedValue()
    }

    /// The calling thread's writer, which it gets with a ring, if it has none; nil if there is no
    /// memory for that.
    static func writerOfThread() -> TraceWriter.Pointer? {
        TraceWriter.owned ?? acquire()
    }

    private static func acquire() -> TraceWriter.Pointer? {
        guard let ring = reuse() ?? create() else { return nil }
        let thread = switchyard_thread_number()
        let before = ring.owner.exchange(thread, ordering: .relaxed)
        ring.writer.pointee.begin()
        ring.append(
            TraceEvent(
                .thread, ticks: TraceClock.now, post: UInt64(max(before, 0)),
                subject: UInt64(thread)))
        switchyard_set_thread_turns(
            UnsafeMutableRawPointer(ring.writer).assumingMemoryBound(to: switchyard_turns.self))
        ThreadEnd.notify(ring)
        return ring.writer
    }

    private static func reuse() -> TraceRing? {
        all.first {
            $0.isOwned.compareExchange(
                expected: false, desired: true, ordering: .acquiring
            ).exchanged
        }
    }

    private static func create() -> TraceRing? {
        newest.withLock { newest in
            guard let ring = TraceRing(before: newest) else { return nil }
            newest = ring
            return ring
        }
    }

    /// Gives the ring to the next thread.
    package func threadEnds() {
        switchyard_set_thread_turns(nil)
        isOwned.store(false, ordering: .releasing)
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Synchronization

// The records as other threads read them, and the calling thread's own as it looks itself up.
extension HazardRecord {
    /// The head of the list of all records. Records are only ever added, at the head.
    // Unsafe to the compiler because of the pointer; what it points to is atomic or owner-only.
    nonisolated(unsafe) static let newest = Atomic<Pointer?>(nil)

    /// Every record that a living thread owns, newest first. The others say nothing.
    struct All: Sequence, IteratorProtocol {
        private var cursor = HazardRecord.newest.load(ordering: .acquiring)

        mutating func next() -> Pointer? {
            while let record = cursor {
                cursor = record.pointee.next
                if record.pointee.isOwned.load(ordering: .acquiring) { return record }
            }
            return nil
        }
    }

    /// Whether the thread calls, or protects, the object at this address.
    func contains(_ address: UInt) -> Bool {
        for index in 0..<Self.capacity {
            let word = words[index].load(ordering: .acquiring)
            if word == address { return true }
            if word == 0 { return false }
        }
        return false
    }

    /// The calling thread's records, innermost first. Their words are exact.
    private struct Callers: Sequence, IteratorProtocol {
        private var cursor = switchyard_get_thread_record()?
            .assumingMemoryBound(to: HazardRecord.self)

        mutating func next() -> Pointer? {
            defer { cursor = cursor?.pointee.outer }
            return cursor
        }
    }

    /// The words of the calling thread: the observations it is inside of and the lists it protects.
    static var callersWords: [UInt] {
        var found: [UInt] = []
        for record in Callers() {
            for index in 0..<record.pointee.top {
                let word = record.pointee.words[index].load(ordering: .relaxed)
                if word != idle { found.append(word) }
            }
        }
        return found
    }

    /// Whether the calling thread calls, or protects, the object at this address.
    static func callersContain(_ address: UInt) -> Bool {
        for record in Callers() where record.pointee.contains(address) { return true }
        return false
    }

    /// Whether this is one of the calling thread's.
    var isCallers: Bool {
        for record in Callers() where record.pointee.words == words { return true }
        return false
    }
}

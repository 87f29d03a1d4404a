// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness
internal import Synchronization

/// An array of closures that is copied under a lock: the copy's retain is what all threads share.
struct LockedArray: ThreadsSubject {
    let name = "Mutex + copy"
    let role = Role.limit

    private final class Topic: Sendable {
        private let handlers = Mutex<[@Sendable (Ping) -> Void]>([{ hear($0.value, 0) }])

        @inline(never)
        func post(_ ping: Ping) {
            for handler in handlers.withLock({ $0 }) { handler(ping) }
        }
    }

    func workload(for question: ThreadsQuestion) -> Workload? {
        guard question.isTyped else { return nil }
        let topics = [Topic(), Topic()]
        let isApart = question.isApart
        return race(question.threads) { thread, count in
            let topic = topics[isApart ? thread : 0]
            for value in 0..<count { topic.post(Ping(value: Int64(value))) }
        }
    }
}

/// An array behind an atomic pointer, whose records are called and not retained. Nothing could be
/// removed while it posts: what makes that safe comes on top.
struct BorrowedRecords: ThreadsSubject {
    let name = "atomic pointer, borrowed records"
    let role = Role.limit

    private class Record {
        let offset: Int64
        init(_ offset: Int64) { self.offset = offset }
        func call(_ ping: Ping) { hear(ping.value, offset) }
    }

    private final class OtherRecord: Record {
        override func call(_ ping: Ping) { hear(ping.value, offset &+ 1) }
    }

    private final class Topic: @unchecked Sendable {
        // Sendable: `record` is constant and read only, the pointer atomic.
        private let record: Record
        private let borrowed: UnsafeMutableBufferPointer<Unmanaged<Record>>
        private let current: Atomic<UnsafeMutablePointer<Unmanaged<Record>>>

        init(_ offset: Int64) {
            record = offset < 0 ? OtherRecord(offset) : Record(offset)
            borrowed = .allocate(capacity: 1)
            // Unsafe: `record` keeps what it points to; memory that is allocated has an address.
            borrowed.initialize(repeating: .passUnretained(record))
            current = Atomic(borrowed.baseAddress.unsafelyUnwrapped)
        }

        deinit { borrowed.deallocate() }

        @inline(never)
        func post(_ ping: Ping) {
            let records = current.load(ordering: .acquiring)
            records.pointee._withUnsafeGuaranteedRef { $0.call(ping) }
        }
    }

    func workload(for question: ThreadsQuestion) -> Workload? {
        guard question.isTyped else { return nil }
        let topics = [Topic(0), Topic(1)]
        let isApart = question.isApart
        return race(question.threads) { thread, count in
            let topic = topics[isApart ? thread : 0]
            for value in 0..<count { topic.post(Ping(value: Int64(value))) }
        }
    }
}

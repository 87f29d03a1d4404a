// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness
internal import Synchronization

// Bare loops: what a post can't cost less than. None finds a topic, except the one that says so,
// and none may be changed while it posts. They are opaque to those who call them, as a library is.

/// An array of Swift closures.
struct ClosureArray: PostingSubject {
    let name = "array of closures"
    let role = Role.limit

    private final class Topic {
        private let handlers: [(Ping) -> Void]

        init(_ handlers: [(Ping) -> Void]) { self.handlers = handlers }

        @inline(never)
        func post(_ ping: Ping) {
            for handler in handlers { handler(ping) }
        }
    }

    func workload(for question: PostingQuestion) -> Workload? {
        guard case .typed = question.kind else { return nil }
        let topic = Topic(
            (0..<Int64(question.observers)).map { offset in { hear($0.value, offset) } })
        return posting(to: question.observers) { count in
            for value in 0..<count { topic.post(Ping(value: Int64(value))) }
        }
    }
}

/// Records that are called through a virtual method and not retained.
struct VirtualMethods: PostingSubject {
    let name = "unmanaged, virtual method"
    let role = Role.limit

    private class Record {
        let offset: Int64
        init(_ offset: Int64) { self.offset = offset }
        func call(_ ping: Ping) { hear(ping.value, offset) }
    }

    /// A second subclass, so that the call is not made direct.
    private final class OtherRecord: Record {
        override func call(_ ping: Ping) { hear(ping.value, offset &+ 1) }
    }

    private final class Topic {
        private let records: [Record]
        private let borrowed: UnsafeMutableBufferPointer<Unmanaged<Record>>

        init(_ records: [Record]) {
            self.records = records
            borrowed = .allocate(capacity: records.count)
            // Unsafe: `records` keeps what these point to.
            _ = borrowed.initialize(from: records.map { Unmanaged.passUnretained($0) })
        }

        deinit { borrowed.deallocate() }

        @inline(never)
        func post(_ ping: Ping) {
            for record in borrowed { record._withUnsafeGuaranteedRef { $0.call(ping) } }
        }
    }

    func workload(for question: PostingQuestion) -> Workload? {
        guard case .typed = question.kind else { return nil }
        let topic = Topic(
            (0..<Int64(question.observers)).map { offset in
                offset < 0 ? OtherRecord(offset) : Record(offset)
            })
        return posting(to: question.observers) { count in
            for value in 0..<count { topic.post(Ping(value: Int64(value))) }
        }
    }
}

/// C's way: a function pointer and a context.
struct FunctionPointers: PostingSubject {
    let name = "C function and context"
    let role = Role.limit

    private struct Record {
        let function: @convention(c) (UnsafeRawPointer, Int64) -> Void
        let context: UnsafeRawPointer
    }

    private final class Topic {
        private let contexts: UnsafeMutableBufferPointer<Int64>
        private let records: UnsafeMutableBufferPointer<Record>

        init(_ count: Int) {
            contexts = .allocate(capacity: count)
            records = .allocate(capacity: count)
            for index in 0..<count {
                contexts.initializeElement(at: index, to: Int64(index))
                // Unsafe: memory that is allocated has an address; `count` is not zero here.
                let context = UnsafeRawPointer(contexts.baseAddress.unsafelyUnwrapped + index)
                records.initializeElement(
                    at: index,
                    to: Record(
                        function: { context, value in hear(value, context.load(as: Int64.self)) },
                        context: context))
            }
        }

        deinit {
            contexts.deallocate()
            records.deallocate()
        }

        @inline(never)
        func post(_ value: Int64) {
            for record in records { record.function(record.context, value) }
        }
    }

    func workload(for question: PostingQuestion) -> Workload? {
        guard case .typed = question.kind else { return nil }
        let topic = Topic(question.observers)
        return posting(to: question.observers) { count in
            for value in 0..<count { topic.post(Int64(value)) }
        }
    }
}

/// A name that is looked up in a dictionary under a lock, and the array found there copied.
struct DictionaryLookup: PostingSubject {
    let name = "Mutex + Dictionary look-up + copy"
    let role = Role.limit

    private final class Topics: Sendable {
        private let handlers: Mutex<[String: [@Sendable () -> Void]]>

        init(_ handlers: [String: [@Sendable () -> Void]]) { self.handlers = Mutex(handlers) }

        @inline(never)
        func post(_ name: String) {
            guard let handlers = handlers.withLock({ $0[name] }) else { return }
            for handler in handlers { handler() }
        }
    }

    func workload(for question: PostingQuestion) -> Workload? {
        guard case .named = question.kind, case .none = question.others else { return nil }
        let name = "SwitchyardBenchmarksPing"
        let handlers = (0..<Int64(question.observers)).map {
            offset -> @Sendable () -> Void in { hear(0, offset) }
        }
        let topics = Topics([name: handlers, "another": []])
        return posting(to: question.observers) { count in
            for _ in 0..<count { topics.post(name) }
        }
    }
}

/// Objects that are not kept alive: a weak load, a call, a release for each.
struct WeakMethods: PostingSubject {
    let name = "weak load, call, release"
    let role = Role.limit

    private final class Record {
        private weak let listener: Listener?
        init(_ listener: Listener) { self.listener = listener }

        @inline(__always)
        func call(_ ping: Ping) { listener?.heard(ping.value) }
    }

    private final class Topic {
        private let records: [Record]

        init(_ records: [Record]) { self.records = records }

        @inline(never)
        func post(_ ping: Ping) {
            for record in records { record.call(ping) }
        }
    }

    func workload(for question: PostingQuestion) -> Workload? {
        guard case .method = question.kind else { return nil }
        let listeners = (0..<question.observers).map { Listener(Int64($0)) }
        let topic = Topic(listeners.map { Record($0) })
        return posting(
            to: question.observers, keeping: listeners
        ) { count in
            for value in 0..<count { topic.post(Ping(value: Int64(value))) }
        }
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness

/// The messages that go to another thread, and their destination.
struct CrossingQuestion {
    /// A place that takes work from other threads.
    enum Place: CaseIterable {
        /// A thread that runs its run loop.
        case runLoop
        case dispatchQueue
        case operationQueue
        /// An actor, which runs on Swift's task pool.
        case actor
        /// A SwiftNIO event loop.
        case eventLoop
        /// A thread that waits for a file descriptor.
        case bareThread
    }

    enum Kind {
        /// A million messages from so many threads.
        case burst(producers: Int)
        /// A message there and its answer back, between two such places. All threads run on one
        /// processor, or are free.
        case roundTrip(isOnOneProcessor: Bool)
    }

    let place: Place
    let kind: Kind
}

/// A way to send numbers to a place.
protocol CrossingSubject: Subject where Question == CrossingQuestion {
    /// A new place of that kind, in which `receiver` gets what is sent; nil when this does not send
    /// to such places.
    func sender(to place: CrossingQuestion.Place, _ receiver: Receiver) -> (any Sender)?
    /// Whether this can send from inside a handler to a place that answers.
    var canAnswer: Bool { get }
}

/// A sender to one place, from any thread.
protocol Sender: AnyObject, Sendable {
    func send(_ value: Int)
    /// Lets go of the place.
    func stop()
}

/// A receiver of the numbers, in a place: one at a time, in the order in which one thread sent
/// them.
class Receiver: @unchecked Sendable {
    // Sendable: a subclass is used by one place alone, and by others when that has told them.

    func receive(_ value: Int) {}
}

extension CrossingSubject {
    var canAnswer: Bool { true }

    func workload(for question: CrossingQuestion) -> Workload? {
        switch question.kind {
        case .burst(let producers):
            Burst.workload(producers, name) { sender(to: question.place, $0) }
        case .roundTrip(let isOnOneProcessor):
            canAnswer
                ? RoundTrip.workload(isOnOneProcessor) { sender(to: question.place, $0) } : nil
        }
    }
}

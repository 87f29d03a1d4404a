// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness

/// A stream, and a task that reads it.
struct StreamCrossing: CrossingSubject {
    let name = "AsyncStream + Task"
    let role = Role.peer

    private final class Stream: Sender {
        private let continuation: AsyncStream<Int>.Continuation

        init(_ receiver: Receiver) {
            let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
            self.continuation = continuation
            Task.detached {
                for await value in stream { receiver.receive(value) }
            }
        }

        func send(_ value: Int) { continuation.yield(value) }
        func stop() { continuation.finish() }
    }

    func sender(to place: CrossingQuestion.Place, _ receiver: Receiver) -> (any Sender)? {
        place == .actor ? Stream(receiver) : nil
    }
}

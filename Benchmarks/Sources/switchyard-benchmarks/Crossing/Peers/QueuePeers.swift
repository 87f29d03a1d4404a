// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness
internal import Foundation

/// A block for each message, on a serial dispatch queue.
struct DispatchCrossing: CrossingSubject {
    let name = "DispatchQueue.async"
    let role = Role.peer

    private final class Blocks: Sender {
        private let queue = DispatchQueue(label: "benchmark")
        private let receiver: Receiver

        init(_ receiver: Receiver) { self.receiver = receiver }

        func send(_ value: Int) { queue.async { [receiver] in receiver.receive(value) } }
        func stop() {}
    }

    func sender(to place: CrossingQuestion.Place, _ receiver: Receiver) -> (any Sender)? {
        place == .dispatchQueue ? Blocks(receiver) : nil
    }
}

/// A block for each message, on a serial operation queue.
struct OperationCrossing: CrossingSubject {
    let name = "OperationQueue.addOperation"
    let role = Role.peer

    private final class Blocks: Sender {
        private let queue = OperationQueue()
        private let receiver: Receiver

        init(_ receiver: Receiver) {
            self.receiver = receiver
            queue.maxConcurrentOperationCount = 1
        }

        func send(_ value: Int) { queue.addOperation { [receiver] in receiver.receive(value) } }
        func stop() {}
    }

    func sender(to place: CrossingQuestion.Place, _ receiver: Receiver) -> (any Sender)? {
        place == .operationQueue ? Blocks(receiver) : nil
    }
}

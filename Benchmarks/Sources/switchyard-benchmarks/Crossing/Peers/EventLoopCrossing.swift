// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness
internal import NIOCore

/// A block for each message, on a SwiftNIO event loop.
struct EventLoopCrossing: CrossingSubject {
    let name = "NIO EventLoop.execute"
    let role = Role.peer

    private final class Blocks: Sender {
        private let loop = EventLoops.next()
        private let receiver: Receiver

        init(_ receiver: Receiver) { self.receiver = receiver }

        func send(_ value: Int) { loop.execute { [receiver] in receiver.receive(value) } }
        func stop() {}
    }

    func sender(to place: CrossingQuestion.Place, _ receiver: Receiver) -> (any Sender)? {
        place == .eventLoop ? Blocks(receiver) : nil
    }
}

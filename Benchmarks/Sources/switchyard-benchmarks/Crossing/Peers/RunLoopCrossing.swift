// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness
internal import CoreFoundation
internal import Foundation

/// A block for each message, on a thread's run loop, which has to be woken: `perform` does not.
struct RunLoopCrossing: CrossingSubject {
    let name = "RunLoop.perform + wake"
    let role = Role.peer

    private final class Blocks: Sender {
        private let thread = LoopThread()
        private let receiver: Receiver

        init(_ receiver: Receiver) { self.receiver = receiver }

        func send(_ value: Int) {
            thread.loop?.perform { [receiver] in receiver.receive(value) }
            CFRunLoopWakeUp(thread.core)
        }

        func stop() { thread.stop() }
    }

    func sender(to place: CrossingQuestion.Place, _ receiver: Receiver) -> (any Sender)? {
        place == .runLoop ? Blocks(receiver) : nil
    }
}

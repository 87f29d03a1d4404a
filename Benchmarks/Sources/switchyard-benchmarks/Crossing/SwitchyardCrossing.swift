// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness
internal import Switchyard
internal import SwitchyardNIO
internal import Synchronization

/// The message that crosses.
private struct Parcel: NotificationMessage {
    var value: Int
}

/// Ours: one observer with a context, on a center of its own.
struct SwitchyardCrossing: CrossingSubject {
    let name = "Switchyard"
    let role = Role.switchyard

    private final class Post: Sender {
        private let center = Switchyard.NotificationCenter()
        private let token: ObservationToken
        private let end: @Sendable () -> Void

        init(_ context: DeliveryContext, _ receiver: Receiver, end: @escaping @Sendable () -> Void)
        {
            token = center.observe(Parcel.self, on: context) { receiver.receive($0.value) }
            // A burst passes the mark at which a mailbox says that much is waiting.
            center.onProblem { _ in }
            self.end = end
        }

        func send(_ value: Int) { center.post(Parcel(value: value)) }

        func stop() {
            token.cancel()
            end()
        }
    }

    private actor Place {}

    func sender(to place: CrossingQuestion.Place, _ receiver: Receiver) -> (any Sender)? {
        guard let (context, end) = Self.context(for: place) else { return bareThread(receiver) }
        return Post(context, receiver, end: end)
    }

    /// A context of its own, and what ends it; nil for a bare thread.
    static func context(
        for place: CrossingQuestion.Place
    ) -> (DeliveryContext, end: @Sendable () -> Void)? {
        switch place {
        case .runLoop:
            let thread = DeliveryThread(name: "benchmark")
            return (.thread(thread), { thread.stop() })
        case .dispatchQueue:
            return (.dispatchQueue(DispatchQueue(label: "benchmark")), {})
        case .operationQueue:
            let queue = OperationQueue()
            queue.maxConcurrentOperationCount = 1
            return (.operationQueue(queue), {})
        case .actor:
            let actor = Place()
            return (.actor(actor), { withExtendedLifetime(actor) {} })
        case .eventLoop:
            return (.eventLoop(EventLoops.next()), {})
        case .bareThread:
            return nil
        }
    }

    private func bareThread(_ receiver: Receiver) -> (any Sender)? {
        guard let mail = try? PollableMailbox(label: "benchmark") else { return nil }
        let isStopping = Flag()
        let stop = Post(.mailbox(mail), Stop(isStopping)) {}
        Thread.detachNewThread {
            while !isStopping.value.load(ordering: .relaxed) { mail.waitAndDrain() }
        }
        return Post(.mailbox(mail), receiver) {
            // Through the mailbox, so that the thread wakes up.
            stop.send(0)
        }
    }

    private final class Flag: Sendable {
        let value = Atomic<Bool>(false)
    }

    private final class Stop: Receiver, @unchecked Sendable {
        // Sendable: constant.
        private let flag: Flag
        init(_ flag: Flag) { self.flag = flag }
        override func receive(_ value: Int) { flag.value.store(true, ordering: .relaxed) }
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard
import TestSupport
import Testing

@Suite("Centers with a context of their own", .timeLimit(.minutes(5))) struct CenterContextTests {
    private struct Ping: NotificationMessage {}

    /// An observer with a method.
    private final class Observer: Sendable {
        let log: Log<String>
        init(_ log: Log<String>) { self.log = log }
        func heard(_ notification: Notification) {
            log.add("method on \(CenterContextTests.threadName())")
        }
    }

    private final class Subclass: Switchyard.NotificationCenter, @unchecked Sendable {}

    private static func threadName() -> String { Thread.current.name ?? "" }

    private let name = Notification.Name("a")

    @Test func `Observers hear on the center's context, in every form`() async {
        let worker = DeliveryThread(name: "worker")
        let center = Switchyard.NotificationCenter(delivering: .thread(worker))
        let log = Log<String>()
        let observer = Observer(log)
        center.observe(name, with: observer, Observer.heard)
        let tokens = [
            center.observe(name) { _ in log.add("closure on \(Self.threadName())") },
            center.observe(Ping.self) { _ in log.add("typed on \(Self.threadName())") },
        ]
        let block = center.addObserver(forName: name, object: nil, queue: nil) { _ in
            log.add("block on \(Self.threadName())")
        }
        center.post(name: name, object: nil)
        center.post(Ping())
        let heard = await log.arrival(of: 4)
        #expect(
            heard == ["method", "closure", "block", "typed"].map { "\($0) on worker" })
        center.removeObserver(block)
        withExtendedLifetime((tokens, observer)) {}
    }

    @Test func `A registration that names a context is heard there`() async {
        let worker = DeliveryThread(name: "worker")
        let center = Subclass(delivering: .thread(worker))
        let log = Log<String>()
        let tokens = [
            center.observe(name, on: .poster) { _ in log.add(Self.threadName()) },
            center.observe(name) { _ in log.add(Self.threadName()) },
        ]
        await onOwnThread("poster") { center.post(name: name, object: nil) }
        #expect(await log.arrival(of: 2) == ["poster", "worker"])
        withExtendedLifetime(tokens) {}
    }

    @Test(.rule(29)) func `A center keeps the thread on which it delivers, and lets it go`() async {
        let center = Guarded<Switchyard.NotificationCenter?>(nil)
        weak var thread: Thread?
        do {
            let worker = DeliveryThread(name: "worker")
            thread = worker.thread
            _ = center.exchange(Switchyard.NotificationCenter(delivering: .thread(worker)))
        }
        let log = Log<String>()
        // The thread outlives its handle and each registration.
        for round in 1...3 {
            let token = center.withLock { $0 }?.observe(name, options: .once) { _ in
                log.add(Self.threadName())
            }
            center.withLock { $0 }?.post(name: name, object: nil)
            await log.arrival(of: round)
            withExtendedLifetime(token) {}
        }
        #expect(log.entries == ["worker", "worker", "worker"])
        _ = center.exchange(nil)
        #expect(await until { thread?.isFinished ?? true })
    }

    @Test func `A center of the main actor calls its observers there`() async {
        let center = Switchyard.NotificationCenter(delivering: .main)
        let messages = MessageCenter(delivering: .main)
        let log = Log<Bool>()
        let tokens = [
            center.observe(name) { _ in MainActor.assumeIsolated { log.add(true) } },
            messages.observe(Ping.self) { _ in MainActor.assumeIsolated { log.add(true) } },
        ]
        await onOwnThread {
            center.post(name: name, object: nil)
            messages.post(Ping())
        }
        let heard = await log.arrival(of: 2)
        #expect(heard == [true, true])
        withExtendedLifetime(tokens) {}
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard
import TestSupport
import Testing

@Suite("One context for one target") struct OneContextTests {
    let center = Switchyard.NotificationCenter()

    @Test(.rule(23)) func `A dispatch queue is one context, however often its object is made anew`()
    {
        func mailbox(_ queue: DispatchQueue) -> SharedMailbox? {
            DeliveryContext.dispatchQueue(queue).mailbox
        }
        let global = mailbox(.global())
        #expect(global != nil)
        #expect(mailbox(.global()) === global)
        #expect(mailbox(.global(qos: .utility)) !== global)
        let (target, other) = (DispatchQueue(label: "same"), DispatchQueue(label: "same"))
        let kept = mailbox(target)
        #expect(mailbox(target) === kept)
        #expect(mailbox(other) !== kept)
        #expect(mailbox(DispatchQueue(label: "inner", target: target)) !== kept)
    }

    @Test(.rule(23)) func `Main is one context under all its names`() {
        let contexts: [DeliveryContext] = [
            .mailbox(.main), .dispatchQueue(.main), .operationQueue(.main),
            .actor(MainActor.shared), .runLoop(.main),
        ]
        #expect(contexts.allSatisfy { $0.mailbox === SharedMailbox.main })
    }

    @Test(.rule(23)) func `A mailbox without users is destroyed, and its queue gets another`() {
        let queue = DispatchQueue(label: "queue")
        weak let first = DeliveryContext.dispatchQueue(queue).mailbox
        #expect(first == nil)
        #expect(DeliveryContext.dispatchQueue(queue).mailbox != nil)
    }

    @Test(.rule(12)) @MainActor
    func `A post that waits on main is inline under every name of main`()
        throws
    {
        let heard = Log<Int>()
        let tokens = [
            center.observe(Ping.self, on: .dispatchQueue(.main)) { _ in heard.add(1) },
            center.observe(Ping.self, on: .operationQueue(.main)) { _ in heard.add(2) },
            center.observe(Ping.self, on: .actor(MainActor.shared)) { _ in heard.add(3) },
            center.observe(Ping.self, on: .main) { _ in heard.add(4) },
        ]
        wait()
        #expect(heard.entries == [1, 2, 3, 4])
        for token in tokens { token.cancel() }
    }

    /// Waits as a program without tasks does.
    @MainActor private func wait() {
        #expect((try? center.postAndWait(Ping(), timeout: .seconds(240)))?.delivered == 4)
    }

    @Test(.rule(10)) @MainActor
    func `A main-actor message is delivered within its post in queue.sync`() {
        struct Shown: Switchyard.NotificationCenter.MainActorMessage {
            typealias Subject = NSObject
        }
        let heard = Log<Int>()
        let token = center.addObserver(for: Shown.self) { _ in heard.add(1) }
        DispatchQueue(label: "state").sync { center.post(Shown()) }
        #expect(heard.entries == [1])
        token.cancel()
    }

    @Test(.rule(10)) @MainActor
    func `A post to main by a main-actor message's handler waits its turn`()
        async
    {
        struct Outer: Switchyard.NotificationCenter.MainActorMessage {
            typealias Subject = NSObject
        }
        let (center, log) = (center, Log<String>())
        let inner = center.observe(Ping.self, on: .main) { _ in log.add("inner") }
        let outer = center.addObserver(for: Outer.self) { _ in
            log.add("begin")
            center.post(Ping())
            log.add("end")
        }
        center.post(Outer())
        #expect(await log.arrival(of: 3) == ["begin", "end", "inner"])
        inner.cancel()
        outer.cancel()
    }

    @Test(.rule(3)) @MainActor func `An awaited post is made where its caller runs`() async throws {
        let heard = Log<Bool>()
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        let token = center.observe(Ping.self) { _ in
            heard.add(DispatchQueue.getSpecific(key: key) == true)
        }
        let named = center.observe(.happened) { _ in
            heard.add(DispatchQueue.getSpecific(key: key) == true)
        }
        try await center.postAndWait(Ping())
        try await center.postWhenRoom(Ping())
        try await center.postAndWait(name: .happened, object: nil)
        #expect(heard.entries == [true, true, true])
        DispatchQueue.main.setSpecific(key: key, value: nil)
        token.cancel()
        named.cancel()
    }

    @Test(.rule(12)) func `A concurrent queue under an operation queue makes no cycle`() {
        let (center, log) = (center, Log<String>())
        center.onProblem { log.add("problem \($0.kind)") }
        let under = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let operations = OperationQueue()
        operations.underlyingQueue = under
        let token = center.observe(Ping.self, on: .operationQueue(operations)) { _ in
            log.add("handled")
        }
        let observer = center.addObserver(forName: .happened, object: nil, queue: operations) { _ in
            log.add("block")
        }
        let done = Gate()
        under.async {
            center.post(name: .happened, object: nil)
            log.add("posted")
            _ = try? center.postAndWait(Ping(), timeout: .seconds(240))
            log.add("waited")
            done.open()
        }
        done.wait()
        #expect(log.entries == ["block", "posted", "handled", "waited"])
        center.removeObserver(observer)
        token.cancel()
    }

    @Test(.rule(12)) func `A serial queue under an operation queue makes a cycle`() {
        let (center, log) = (center, Log<String>())
        center.onProblem { log.add("problem \($0.kind)") }
        let under = DispatchQueue(label: "serial")
        let operations = OperationQueue()
        operations.underlyingQueue = under
        let observer = center.addObserver(forName: .happened, object: nil, queue: operations) { _ in
            log.add("block")
        }
        under.async { center.post(name: .happened, object: nil) }
        #expect(log.wait(for: 2) == ["problem wouldNotReturn", "block"])
        center.removeObserver(observer)
    }
}

@Suite("One-shot observers of messages with names") struct NamedOnceTests {
    struct Named: Switchyard.NotificationCenter.AsyncMessage {
        typealias Subject = NSObject
        static var name: Notification.Name { Notification.Name("named") }
        var number: Int
        static func makeMessage(_ note: Notification) -> Named? {
            (note.userInfo?["number"] as? Int).map { Named(number: $0) }
        }
    }

    /// A class that is a message may have subclasses.
    class Progress: Switchyard.NotificationCenter.AsyncMessage, @unchecked Sendable {
        // Sendable: constant.
        typealias Subject = NSObject
        let done: Int
        init(_ done: Int) { self.done = done }
    }

    let center = Switchyard.NotificationCenter()

    @Test(.rule(16)) func `A notification that makes no message does not use up a one-shot`() {
        let heard = Log<Int>()
        center.onProblem { _ in }
        let token = center.observe(Named.self, options: .once) { heard.add($0.number) }
        center.post(name: Named.name, object: nil)
        #expect(!token.isCancelled)
        center.post(name: Named.name, object: nil, userInfo: ["number": 1])
        center.post(Named(number: 2))
        #expect(heard.entries == [1])
        #expect(token.isCancelled)
    }

    @Test(.rule(16), .timeLimit(.minutes(4)))
    func `A notification that makes no message does not use up an async one-shot`() async {
        let heard = Log<Int>()
        center.onProblem { _ in }
        let token = center.observe(Named.self, options: .once) { (named: Named) async in
            heard.add(named.number)
        }
        for number in [nil, 1, 2] {
            center.post(
                name: Named.name, object: nil, userInfo: number.map { ["number": $0] })
        }
        #expect(await heard.arrival(of: 1) == [1])
        #expect(await token.cancelAndDrain())
        #expect(heard.entries == [1])
    }

    @Test(.rule(16)) func `Threads that post at once call a one-shot of a named message once`() {
        for _ in 0..<100 {
            let (center, heard) = (center, Log<Int>())
            let token = center.observe(Named.self, options: .once) { heard.add($0.number) }
            DispatchQueue.concurrentPerform(iterations: 4) { center.post(Named(number: $0)) }
            #expect(heard.entries.count == 1)
            #expect(token.isCancelled)
        }
    }

    @Test(.timeLimit(.minutes(4))) func `A class that may have subclasses is a message`() async {
        let heard = Log<Int>()
        let subject = NSObject()
        let token = center.addObserver(of: subject, for: Progress.self) { heard.add($0.done) }
        center.post(Progress(3), subject: subject)
        #expect(await heard.arrival(of: 1) == [3])
        token.cancel()
    }

    @Test(.rule(33)) func `The snapshot shows the line that asked for a sequence`() {
        let notes = center.notifications(named: .happened).makeAsyncIterator()
        let messages = center.messages(for: Named.self).makeAsyncIterator()
        let files = center.snapshot().entries.map(\.origin.file)
        #expect(files == Array(repeating: #fileID, count: 2))
        withExtendedLifetime((notes, messages)) {}
    }
}

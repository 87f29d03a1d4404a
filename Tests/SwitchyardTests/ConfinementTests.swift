// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard
import TestSupport
import Testing

/// An object that notes on which thread it was destroyed.
private final class Captured {
    private let log: Log<String>
    init(_ log: Log<String>) { self.log = log }
    deinit { log.add("destroyed on \(threadName)") }
    func touch() {}
}

@Suite("Captures and messages that stay on their thread") struct ConfinementTests {
    let center = Switchyard.NotificationCenter()

    /// Registers a handler whose capture has no other owner.
    private static func observe(
        _ center: Switchyard.NotificationCenter, _ log: Log<String>
    ) -> ObservationToken {
        let captured = Captured(log)
        return center.observe(.happened, on: .thisThread) { _ in
            captured.touch()
            log.add("heard on \(threadName)")
        }
    }

    @Test(.rule(21))
    func `Captures of a handler on this thread are destroyed there when another thread cancels`() {
        let (center, log) = (center, Log<String>())
        let worker = DeliveryThread(name: "home")
        let registered = Log<ObservationToken>()
        worker.perform { registered.add(Self.observe(center, log)) }
        let token = registered.wait(for: 1)[0]
        center.post(name: .happened, object: nil)
        log.wait(for: 1)
        onThread("elsewhere") { token.cancel() }
        #expect(log.wait(for: 2) == ["heard on home", "destroyed on home"])
        worker.stop()
        #expect(worker.join(timeout: .seconds(200)))
    }

    @Test(.rule(29)) func `Captures of a handler on this thread go with the thread`() {
        let (center, log) = (center, Log<String>())
        let worker = DeliveryThread(name: "home")
        let registered = Log<ObservationToken>()
        worker.perform { registered.add(Self.observe(center, log)) }
        let token = registered.wait(for: 1)[0]
        worker.stop()
        #expect(worker.join(timeout: .seconds(200)))
        #expect(log.entries == ["destroyed on home"])
        // The registration stays, inert, until its token goes.
        center.onProblem { _ in }
        #expect(center.postAndReport(name: .happened, object: nil).undeliverable == 1)
        token.cancel()
        #expect(log.entries == ["destroyed on home"])
    }

    @Test(.rule(21))
    func `Captures of a handler on this thread go there, also when the thread's mail is dropped`() {
        let (center, log) = (center, Log<String>())
        let worker = DeliveryThread(name: "home")
        let registered = Log<ObservationToken>()
        let (inside, leave) = (Gate(), Gate())
        worker.perform {
            registered.add(Self.observe(center, log))
            inside.open()
            leave.wait()
        }
        inside.wait()
        onThread("elsewhere") {
            for token in registered.entries { token.cancel() }
            _ = worker.drop()
        }
        #expect(log.entries.isEmpty)
        leave.open()
        #expect(worker.join(timeout: .seconds(200)))
        #expect(log.entries == ["destroyed on home"])
    }

    private struct Saved: NotificationMessage {
        typealias Subject = Captured
    }

    private struct Boxed: Hashable {
        let captured: Captured
        let number: Int
        static func == (left: Boxed, right: Boxed) -> Bool { left.number == right.number }
        func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    private struct SavedBoxed: NotificationMessage {
        typealias Subject = Boxed
    }

    @Test func `A queued message's subject is destroyed on the queue's thread if others remove it`()
    {
        let log = Log<String>()
        let worker = DeliveryThread(name: "home")
        let queues = Log<NotificationQueue>()
        let (isQueued, go) = (Gate(), Gate())
        worker.perform {
            let queue = NotificationQueue.default
            queue.enqueue(Saved(), subject: Captured(log), postingStyle: .whenIdle)
            queue.enqueue(
                SavedBoxed(), subject: Boxed(captured: Captured(log), number: 1),
                postingStyle: .whenIdle)
            queues.add(queue)
            isQueued.open()
            go.wait()
        }
        isQueued.wait()
        let queue = queues.wait(for: 1)[0]
        onThread("elsewhere") {
            queue.enqueue(Saved(), postingStyle: .whenIdle, coalesceMask: .onName)
            queue.enqueue(SavedBoxed(), postingStyle: .whenIdle, coalesceMask: .onName)
        }
        #expect(log.entries.isEmpty)
        go.open()
        #expect(log.wait(for: 2) == ["destroyed on home", "destroyed on home"])
        worker.stop()
        #expect(worker.join(timeout: .seconds(200)))
    }

    /// An object that posts when it is destroyed.
    private final class Poster {
        let center: Switchyard.NotificationCenter
        let receipts: Log<PostReceipt>
        init(_ center: Switchyard.NotificationCenter, _ receipts: Log<PostReceipt>) {
            (self.center, self.receipts) = (center, receipts)
        }
        deinit { receipts.add(center.postAndReport(name: .happened, object: nil)) }
    }

    @Test(.rule(29))
    func `A post made while the thread's handlers are destroyed is undeliverable`() {
        let (center, receipts) = (center, Log<PostReceipt>())
        center.onProblem { _ in }
        let (worker, tokens) = (DeliveryThread(name: "home"), Log<ObservationToken>())
        worker.perform {
            let poster = Poster(center, receipts)
            tokens.add(
                center.observe(.happened, on: .thisThread) { _ in withExtendedLifetime(poster) {} })
        }
        _ = tokens.wait(for: 1)
        worker.stop()
        #expect(worker.join(timeout: .seconds(200)))
        #expect(receipts.entries.map(\.delivered) == [0])
        #expect(receipts.entries.map { $0.queued + $0.undeliverable } == [1])
    }

    @Test(.rule(21))
    func `Registrations that others end while the thread ends are destroyed there`() {
        let (center, log) = (center, Log<String>())
        for _ in 0..<20 {
            let worker = DeliveryThread(name: "home")
            let registered = Log<ObservationToken>()
            worker.perform { for _ in 0..<50 { registered.add(Self.observe(center, log)) } }
            let tokens = registered.wait(for: 50)
            worker.stop()
            for token in tokens { token.cancel() }
            #expect(worker.join(timeout: .seconds(200)))
        }
        #expect(log.wait(for: 1_000).allSatisfy { $0 == "destroyed on home" })
    }

    @Test(.rule(21)) func `A context of this thread that is used on another stops the program`()
        async
    {
        await #expect(processExitsWith: .failure) { Self.useElsewhere() }
    }

    private static func useElsewhere() {
        let (center, done) = (Switchyard.NotificationCenter(), Gate())
        Thread.detachNewThread {
            // Unsafe on purpose: the compiler refuses this use without the annotation.
            nonisolated(unsafe) let context = ThisThreadContext.thisThread
            Thread.detachNewThread {
                _ = center.observe(.happened, on: context) { _ in }
                done.open()
            }
        }
        done.wait()
    }

    /// An observer that is not `Sendable`.
    private final class Panel {
        var heard = 0
    }

    private struct Happened: NotificationMessage {}

    /// Registers functions of the main actor for an observer that is not `Sendable`. (The compiler
    /// refuses methods.)
    private static func register(_ panel: Panel, _ center: Switchyard.NotificationCenter) {
        let named: (Panel) -> @MainActor (Notification) -> Void = { panel in
            panel.heard += 1
            return { _ in MainActor.preconditionIsolated() }
        }
        let typed: (Panel) -> @MainActor (Happened) -> Void = { panel in
            panel.heard += 1
            return { _ in MainActor.preconditionIsolated() }
        }
        center.observe(.happened, with: panel, named, on: .thisThread)
        center.observe(Happened.self, with: panel, typed, on: .thisThread)
    }

    @Test(.rule(21), .timeLimit(.minutes(4))) @MainActor
    func `A main-actor function for an observer that stays on the main thread is called`()
        async
    {
        let panel = Panel()
        Self.register(panel, center)
        center.post(name: .happened, object: nil)
        center.post(Happened())
        // The calls may wait: mail of other tests may be before them on the main actor.
        while panel.heard < 2 { await Task.yield() }
    }

    @Test(.rule(21), .timeLimit(.minutes(4))) @MainActor
    func `Captures of a main-actor function for such an observer are destroyed on main`()
        async
    {
        let (center, log) = (center, Log<String>())
        let panel = Panel()
        let tokens = Log<ObservationToken>()
        Self.register(panel, center, holding: log, tokens)
        let token = tokens.entries[0]
        onThread("elsewhere") { token.cancel() }
        #expect(await log.arrival(of: 1) == ["destroyed on \(threadName)"])
    }

    /// Registers a main-actor function whose capture has no other owner.
    private static func register(
        _ panel: Panel, _ center: Switchyard.NotificationCenter, holding log: Log<String>,
        _ tokens: Log<ObservationToken>
    ) {
        let captured = Captured(log)
        let function: (Panel) -> @MainActor (Happened) -> Void = { panel in
            captured.touch()
            return { _ in }
        }
        tokens.add(center.observe(Happened.self, with: panel, function, on: .thisThread))
    }

    @Test(.rule(21))
    func `A main-actor function for an observer of another thread stops the program`()
        async
    {
        let stopped = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            Self.onOtherThread { Self.register(Panel(), Switchyard.NotificationCenter()) }
        }
        let said = String(decoding: stopped?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains("register it on the main thread"))
    }

    private static func onOtherThread(_ body: @escaping @Sendable () -> Void) {
        let done = Gate()
        Thread.detachNewThread {
            body()
            done.open()
        }
        done.wait()
    }

    @Test(.rule(21), .timeLimit(.minutes(4)))
    func `Mail for observers of a message keeps no subject alive`() async {
        struct Saved: Switchyard.NotificationCenter.AsyncMessage { typealias Subject = NSObject }
        let (gate, heard) = (Gate(), Log<Int>())
        let worker = DeliveryThread(name: "busy")
        let token = center.observe(Saved.self, on: .thread(worker)) { _ in heard.add(1) }
        worker.perform { gate.wait() }
        weak var subject: NSObject?
        do {
            let object = NSObject()
            subject = object
            center.post(Saved(), subject: object)
        }
        #expect(subject == nil)
        gate.open()
        #expect(await heard.arrival(of: 1) == [1])
        token.cancel()
    }

    @Test(.rule(21), .timeLimit(.minutes(4))) @MainActor
    func `A main-actor message is released there, whoever hears its name`() async {
        struct Shown: Switchyard.NotificationCenter.MainActorMessage {
            typealias Subject = NSObject
            let part: Captured
        }
        let (gate, log, heard) = (Gate(), Log<String>(), Log<String>())
        let worker = DeliveryThread(name: "busy")
        let token = center.observe(Shown.name, on: .thread(worker)) { heard.add($0.name.rawValue) }
        worker.perform { gate.wait() }
        center.post(Shown(part: Captured(log)))
        #expect(log.entries.count == 1)
        gate.open()
        #expect(await heard.arrival(of: 1) == [Shown.name.rawValue])
        #expect(log.entries == ["destroyed on \(threadName)"])
        token.cancel()
    }

    @Test(.rule(21, 42), .timeLimit(.minutes(4))) @MainActor
    func `A main-actor message that a pause keeps is released there, whoever cancels`() async {
        struct Shown: Switchyard.NotificationCenter.MainActorMessage {
            typealias Subject = NSObject
            let part: Captured
        }
        let (log, heard) = (Log<String>(), Log<String>())
        let token = center.addObserver(for: Shown.self) { _ in heard.add("heard") }
        token.pause()
        center.post(Shown(part: Captured(log)))
        // Behind the message in the main actor's mailbox: when it is heard, the message is kept.
        let (name, later) = (Notification.Name("later"), Log<String>())
        let witness = center.observe(name, on: .main) { _ in later.add("heard") }
        center.post(name: name, object: nil)
        await later.arrival(of: 1)
        await onOwnThread { token.cancel() }
        let destroyed = await log.arrival(of: 1)
        #expect(destroyed == ["destroyed on \(threadName)"])
        #expect(heard.entries == [])
        witness.cancel()
    }
}

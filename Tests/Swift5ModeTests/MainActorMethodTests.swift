// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// Built in the Swift 5 language mode, as most modules that move from Foundation are.
import Foundation
import Switchyard
import TestSupport
import Testing

import class Switchyard.NotificationCenter

extension Notification.Name {
    static let moved = Notification.Name("moved")
}

struct Ping: NotificationMessage {
    var number = 0
}

struct Ready: RequestMessage {
    typealias Reply = Bool
}

/// A main-actor class that notes whether its methods are called on the main actor.
@MainActor class Panel {
    var calls: [Bool] = []
    nonisolated init() {}
    func note() { calls.append(Thread.isMainThread || isOnMainQueue()) }

    func closed() { note() }
    func moved(_ note: Notification) { self.note() }
    func resized(_ note: NSNotification) { self.note() }
    func pinged(_ ping: Ping) { note() }
    func movedLater(_ note: Notification) async { self.note() }
    func pingedLater(_ ping: Ping) async { note() }
    func isReady(_ request: Ready) -> Bool {
        note()
        return true
    }
}

private let key = DispatchSpecificKey<Bool>()
private func isOnMainQueue() -> Bool { DispatchQueue.getSpecific(key: key) == true }

/// A class of no actor, whose methods are called where the registration says.
class Listener {
    private let lock = NSLock()
    private var callers: [ObjectIdentifier] = []

    func note() {
        lock.lock()
        callers.append(ObjectIdentifier(Thread.current))
        lock.unlock()
    }

    /// The threads of the calls so far. ThreadSanitizer does not see that a continuation's `await`
    /// comes after its `resume`, so that tests have to read under the lock, too.
    var threads: [ObjectIdentifier] {
        lock.lock()
        defer { lock.unlock() }
        return callers
    }

    func closed() { note() }
    func moved(_ note: Notification) { self.note() }
    func resized(_ note: NSNotification) { self.note() }
    func pinged(_ ping: Ping) { note() }
    func isReady(_ request: Ready) -> Bool {
        note()
        return true
    }
}

@Suite("Methods in the Swift 5 language mode") struct MainActorMethodTests {
    let center = NotificationCenter()

    /// Posts from a thread of its own, waits for it, and returns the thread.
    @discardableResult
    func postElsewhere() async -> ObjectIdentifier {
        let center = center
        return await withCheckedContinuation { posted in
            Thread.detachNewThread {
                center.post(name: .moved, object: nil)
                center.post(Ping())
                posted.resume(returning: ObjectIdentifier(Thread.current))
            }
        }
    }

    @Test(.rule(21), .timeLimit(.minutes(4))) @MainActor
    func `A method of a main-actor class is called on the main actor`() async {
        DispatchQueue.main.setSpecific(key: key, value: true)
        let panel = Panel()
        center.observe(.moved, with: panel, Panel.closed)
        center.observe(.moved, with: panel, Panel.moved)
        center.observe(.moved, with: panel, Panel.resized)
        center.addObserver(panel, selector: Panel.moved, name: .moved, object: nil)
        center.observe(Ping.self, with: panel, Panel.pinged)
        center.observe(.moved, with: panel, Panel.moved, on: .main)
        await postElsewhere()
        while panel.calls.count < 6 { await Task.yield() }
        #expect(panel.calls == Array(repeating: true, count: 6))
    }

    @Test(.rule(21, 44, 47), .timeLimit(.minutes(4))) @MainActor
    func `Methods for patterns and requests are called on the main actor, too`() async throws {
        DispatchQueue.main.setSpecific(key: key, value: true)
        let panel = Panel()
        center.observe(matching: "*", with: panel, Panel.moved)
        center.observe(matching: "*", with: panel, Panel.moved, on: .main)
        center.answer(Ready.self, with: panel, Panel.isReady)
        center.answer(Ready.self, with: panel, Panel.isReady, on: .main)
        await postElsewhere()
        let center = center
        let answers = try await Task.detached {
            try await center.request(Ready(), .all, within: .seconds(240))
        }.value
        while panel.calls.count < 4 { await Task.yield() }
        #expect(answers == [true, true])
        #expect(panel.calls == Array(repeating: true, count: 4))
    }

    @Test(.rule(21), .timeLimit(.minutes(4))) @MainActor
    func `An async method of a main-actor class is called on the main actor`() async {
        DispatchQueue.main.setSpecific(key: key, value: true)
        let panel = Panel()
        center.observe(.moved, with: panel, Panel.movedLater)
        center.observe(Ping.self, with: panel, Panel.pingedLater)
        await postElsewhere()
        while panel.calls.count < 2 { await Task.yield() }
        #expect(panel.calls == [true, true])
    }

    @Test(.rule(21), .timeLimit(.minutes(4))) @MainActor
    func `A main-actor method that was given another context is called there, and reported`()
        async
    {
        DispatchQueue.main.setSpecific(key: key, value: true)
        let worker = DeliveryThread(name: "worker")
        let panel = Panel()
        var kinds: [DeliveryProblem.Kind] = []
        center.onProblem { problem in MainActor.assumeIsolated { kinds.append(problem.kind) } }
        center.observe(.moved, with: panel, Panel.moved, on: .thread(worker))
        await postElsewhere()
        while panel.calls.isEmpty { await Task.yield() }
        #expect(panel.calls == [true])
        #expect(kinds == [.isolatedMethod])
    }

    @Test(.rule(21), .timeLimit(.minutes(4))) @MainActor
    func `A main-actor method that was registered on another thread is called on main`()
        async
    {
        DispatchQueue.main.setSpecific(key: key, value: true)
        let (center, panel) = (center, Panel())
        let kinds = Log<DeliveryProblem.Kind>()
        center.onProblem { problem in kinds.add(problem.kind) }
        let worker = DeliveryThread(name: "worker")
        await withCheckedContinuation { registered in
            worker.perform {
                center.observe(.moved, with: panel, Panel.closed, on: .thisThread)
                center.observe(.moved, with: panel, Panel.moved, on: .thisThread)
                center.observe(.moved, with: panel, Panel.resized, on: .thisThread)
                center.observe(Ping.self, with: panel, Panel.pinged, on: .thisThread)
                registered.resume()
            }
        }
        #expect(kinds.entries == Array(repeating: .isolatedMethod, count: 4))
        await postElsewhere()
        while panel.calls.count < 4 { await Task.yield() }
        #expect(panel.calls == Array(repeating: true, count: 4))
        // The method is called on the main actor also after the thread that registered has ended.
        await onOwnThread {
            worker.stop()
            worker.join()
        }
        await postElsewhere()
        while panel.calls.count < 8 { await Task.yield() }
    }

    @Test(.rule(21))
    func `Methods of a class that is not Sendable are called where the registration says`()
        async
    {
        let listener = Listener()
        center.observe(.moved, with: listener, Listener.closed)
        center.observe(.moved, with: listener, Listener.moved)
        center.observe(.moved, with: listener, Listener.resized)
        center.addObserver(listener, selector: Listener.closed, name: .moved, object: nil)
        center.observe(Ping.self, with: listener, Listener.pinged)
        center.observe(matching: "*", with: listener, Listener.moved)
        center.answer(Ready.self, with: listener, Listener.isReady)
        let elsewhere = await postElsewhere()
        #expect(listener.threads == Array(repeating: elsewhere, count: 6))
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard
import TestSupport
import Testing

/// Methods of every form that stands in a selector's place.
private final class Window: NSObject, Sendable {
    let log = Log<String>()
    func closed() { log.add("closed") }
    func moved(_ note: Notification) { log.add("moved \(note.name.rawValue)") }
    func resized(_ note: NSNotification) { log.add("resized \(note.name.rawValue)") }
}

@MainActor private final class Panel {
    var log: [String] = []
    func closed() { log.append("closed") }
    func moved(_ note: Notification) { log.append("moved \(note.name.rawValue)") }
    func resized(_ note: NSNotification) { log.append("resized \(note.name.rawValue)") }
}

@Suite("Methods as observers") struct MethodFormTests {
    let center = Switchyard.NotificationCenter()

    @Test func `A method may take a notification, an NSNotification, or nothing`() {
        let window = Window()
        center.observe(.happened, with: window, Window.closed)
        center.observe(.happened, with: window, Window.moved)
        center.observe(.happened, with: window, Window.resized)
        center.post(name: .happened, object: nil)
        #expect(window.log.entries == ["closed", "moved happened", "resized happened"])
    }

    @Test func `A method in a selector's place is registered with the line where it is written`()
        throws
    {
        let (window, panel) = (Window(), Window())
        center.addObserver(window, selector: Window.moved, name: .happened, object: nil)
        center.addObserver(window, selector: Window.closed, name: .happened, object: nil)
        center.addObserver(panel, selector: Window.resized, name: .happened, object: nil)
        let lines = center.snapshot().entries.map(\.origin)
        #expect(lines.map(\.file) == Array(repeating: #fileID, count: 3))
        let first = try #require(lines.first).line
        #expect(lines.map(\.line) == [first, first + 1, first + 2])
    }

    @Test func `A method stands in a selector's place, and is removed as Apple's observers are`() {
        let (window, object) = (Window(), NSObject())
        center.addObserver(window, selector: Window.closed, name: .happened, object: object)
        center.addObserver(window, selector: Window.moved, name: .happened, object: nil)
        center.addObserver(window, selector: Window.resized, name: .other, object: nil)
        center.post(name: .happened, object: nil)
        center.post(name: .happened, object: object)
        #expect(window.log.entries == ["moved happened", "closed", "moved happened"])
        center.removeObserver(window, name: .happened, object: object)
        center.removeObserver(window, name: .other, object: nil)
        center.post(name: .happened, object: object)
        center.post(name: .other, object: nil)
        #expect(window.log.entries.dropFirst(3) == ["moved happened"])
        center.removeObserver(window)
        #expect(center.snapshot().entries.isEmpty)
    }

    @Test(.rule(21)) @MainActor
    func `Main-actor methods of every form are called on the main actor`()
        async
    {
        let panel = Panel()
        center.observe(.happened, with: panel, Panel.closed)
        center.observe(.happened, with: panel, Panel.moved)
        center.observe(.happened, with: panel, Panel.resized)
        center.addObserver(panel, selector: Panel.closed, name: .happened, object: nil)
        let done = center.observe(.happened, on: .main) { _ in panel.log.append("last") }
        await Task.detached { [center] in center.post(name: .happened, object: nil) }.value
        while panel.log.last != "last" { await Task.yield() }
        #expect(
            panel.log == ["closed", "moved happened", "resized happened", "closed", "last"])
        done.cancel()
    }

    @Test(.rule(21))
    func `Observers on this thread need not be Sendable, whatever their methods take`() {
        final class Local {
            var log: [String] = []
            func closed() { log.append("closed") }
            func moved(_ note: Notification) { log.append("moved") }
            func resized(_ note: NSNotification) { log.append("resized") }
        }
        onThread { [center] in
            let local = Local()
            center.observe(.happened, with: local, Local.closed, on: .thisThread)
            center.observe(.happened, with: local, Local.moved, on: .thisThread)
            center.observe(.happened, with: local, Local.resized, on: .thisThread)
            center.post(name: .happened, object: nil)
            #expect(local.log == ["closed", "moved", "resized"])
        }
    }
}

@Suite("Apple's block form") struct BlockFormTests {
    let center = Switchyard.NotificationCenter()

    /// A variable that blocks know weakly.
    final class Holder: @unchecked Sendable {
        // Sendable: a test uses it on one thread.
        weak var observer: (any NSObjectProtocol)?
    }

    @Test func `A block that knows its observer weakly removes itself`() {
        let (holder, heard) = (Holder(), Log<Int>())
        holder.observer = center.addObserver(forName: .happened, object: nil, queue: nil) {
            [center] _ in
            heard.add(1)
            if let observer = holder.observer { center.removeObserver(observer) }
        }
        #expect(holder.observer != nil)
        center.post(name: .happened, object: nil)
        center.post(name: .happened, object: nil)
        #expect(heard.entries == [1])
        #expect(holder.observer == nil)
    }

    @Test func `A block's observer goes with its center, and so do the block's captures`() {
        final class Captured: Sendable {}
        weak var captured: Captured?
        let holder = Holder()
        do {
            let center = Switchyard.NotificationCenter()
            let object = Captured()
            captured = object
            holder.observer = center.addObserver(forName: .happened, object: nil, queue: nil) { _ in
                withExtendedLifetime(object) {}
            }
            #expect(holder.observer != nil)
        }
        #expect(captured == nil)
        #expect(holder.observer == nil)
    }

    @Test func `Removing an observer a second time changes nothing`() {
        let heard = Log<Int>()
        let first = center.addObserver(forName: .happened, object: nil, queue: nil) { _ in
            heard.add(1)
        }
        center.removeObserver(first)
        let second = center.addObserver(forName: .happened, object: nil, queue: nil) { _ in
            heard.add(2)
        }
        center.removeObserver(first)
        center.post(name: .happened, object: nil)
        #expect(heard.entries == [2])
        center.removeObserver(second)
    }

    @Test func `Centers and queues are keys of dictionaries`() {
        let queue = NotificationQueue(notificationCenter: center)
        let centers = [center: 1, Switchyard.NotificationCenter(): 2]
        let queues = [queue: 1]
        #expect(centers[center] == 1)
        #expect(queues[queue] == 1)
        #expect(queue.isEqual(queue))
    }
}

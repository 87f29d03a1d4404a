// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard
import TestSupport
import Testing

@Suite("The drop-in center") struct CenterTests {
    let center = Switchyard.NotificationCenter()

    final class Thing: NSObject, Sendable {}

    @Test func `The default center is one, others are their own`() {
        #expect(Switchyard.NotificationCenter.default == Switchyard.NotificationCenter.default)
        #expect(Switchyard.NotificationCenter() != Switchyard.NotificationCenter())
        #expect(center.description.hasPrefix("<NotificationCenter 0x"))
    }

    @Test func `The three posts reach the block with name, object and userInfo`() {
        let log = Log<String>()
        let thing = Thing()
        let token = center.addObserver(forName: .happened, object: nil, queue: nil) { note in
            let info = note.userInfo?["key"] as? String ?? "-"
            log.add("\(note.name.rawValue) \(note.object as? Thing === thing) \(info)")
        }
        center.post(name: .happened, object: thing)
        center.post(name: .happened, object: nil, userInfo: ["key": "value"])
        center.post(Notification(name: .happened, object: thing, userInfo: ["key": "more"]))
        #expect(log.entries == ["happened true -", "happened false value", "happened true more"])
        center.removeObserver(token)
        center.post(name: .happened, object: nil)
        #expect(log.entries.count == 3)
    }

    @Test(.rule(4)) func `Name and object match as documented`() {
        let log = Log<String>()
        let (one, two) = (Thing(), Thing())
        let cases: [(String, Notification.Name?, Thing?)] = [
            ("name", .happened, nil), ("name and one", .happened, one), ("one", nil, one),
            ("all", nil, nil), ("other name", .other, nil), ("name and two", .happened, two),
        ]
        for (label, name, object) in cases {
            _ = center.addObserver(forName: name, object: object, queue: nil) { _ in log.add(label)
            }
        }
        center.post(name: .happened, object: one)
        #expect(log.entries == ["name", "name and one", "one", "all"])
        center.post(name: .happened, object: nil)
        #expect(log.entries == ["name", "name and one", "one", "all", "name", "all"])
    }

    @Test(.rule(6)) func `A string, a number or a struct as object matches by equality`() {
        struct Place: Hashable { var row: Int }
        let log = Log<String>()
        _ = center.addObserver(forName: .happened, object: "a", queue: nil) { _ in log.add("a") }
        _ = center.addObserver(forName: .happened, object: 5, queue: nil) { _ in log.add("5") }
        _ = center.addObserver(forName: .happened, object: Place(row: 1), queue: nil) { _ in
            log.add("row 1")
        }
        center.post(name: .happened, object: "a")
        center.post(name: .happened, object: 5)
        center.post(name: .happened, object: Place(row: 1))
        center.post(name: .happened, object: Place(row: 2))
        center.post(name: .happened, object: Optional("a") as Any)
        #expect(log.entries == ["a", "5", "row 1", "a"])
    }

    @Test(.rule(6)) func `Instances go by identity, also where they are equal`() {
        let log = Log<String>()
        let (one, equal) = (NSString("same"), NSMutableString("same") as NSString)
        _ = center.addObserver(forName: .happened, object: one, queue: nil) { _ in log.add("one") }
        center.post(name: .happened, object: equal)
        #expect(log.entries == [])
        center.post(name: .happened, object: one)
        #expect(log.entries == ["one"])
    }

    @Test(.rule(5)) func `A queued delivery from deinit carries no object`() {
        final class Leaving: NSObject {
            let center: Switchyard.NotificationCenter
            init(_ center: Switchyard.NotificationCenter) { self.center = center }
            deinit {
                let receipt = center.postAndReport(name: .happened, object: self)
                precondition(receipt.objectIsGone)
            }
        }
        let log = Log<String>()
        let worker = DeliveryThread(name: "worker")
        let tokens = [
            center.observe(.happened) { log.add("inline \($0.object is Leaving)") },
            center.observe(.happened, on: .thread(worker)) {
                log.add("queued \($0.object == nil)")
            },
        ]
        do { _ = Leaving(center) }
        #expect(log.wait(for: 2) == ["inline true", "queued true"])
        withExtendedLifetime((tokens, worker)) {}
    }

    @Test(.rule(5)) func `A sequence keeps a notification from deinit without its object`() async {
        final class Leaving: NSObject {
            let center: Switchyard.NotificationCenter
            init(_ center: Switchyard.NotificationCenter) { self.center = center }
            deinit { center.post(name: .happened, object: self) }
        }
        var iterator = center.notifications(named: .happened).makeAsyncIterator()
        do { _ = Leaving(center) }
        let note = await iterator.next()
        #expect(note?.name == .happened)
        #expect(note?.object == nil)
    }

    @Test(.rule(13)) func `A token given to another center, or twice, changes nothing else`() {
        let log = Log<String>()
        let other = Switchyard.NotificationCenter()
        let problems = Log<String>()
        other.onProblem { problems.add($0.kind.description) }
        let token = center.addObserver(forName: .happened, object: nil, queue: nil) { _ in
            log.add("mine")
        }
        let strange = other.addObserver(forName: .happened, object: nil, queue: nil) { _ in
            log.add("other's")
        }
        other.removeObserver(token)
        #expect(problems.entries == ["wrongCenter"])
        center.post(name: .happened, object: nil)
        other.post(name: .happened, object: nil)
        #expect(log.entries == ["mine", "other's"])
        center.removeObserver(token)
        let third = center.addObserver(forName: .happened, object: nil, queue: nil) { _ in
            log.add("third")
        }
        center.removeObserver(token)
        center.removeObserver(token)
        center.post(name: .happened, object: nil)
        #expect(log.entries == ["mine", "other's", "third"])
        withExtendedLifetime((strange, third)) {}
    }

    @Test(.rule(13)) func `Removing by name and object touches the registrations with both alone`()
    {
        final class Listener: NSObject, Sendable {
            let log = Log<String>()
            func hear(_ note: Notification) { log.add(note.name.rawValue) }
            func also(_ note: Notification) { log.add("also " + note.name.rawValue) }
        }
        let listener = Listener()
        let thing = Thing()
        center.observe(.happened, with: listener, Listener.hear)
        center.observe(.happened, of: thing, with: listener, Listener.also)
        center.observe(.other, with: listener, Listener.hear)
        center.removeObserver(listener, name: .happened, object: thing)
        center.post(name: .happened, object: thing)
        #expect(listener.log.entries == ["happened"])
        center.removeObserver(listener, name: .happened, object: nil)
        center.post(name: .happened, object: thing)
        center.post(name: .other, object: nil)
        #expect(listener.log.entries == ["happened", "other"])
        center.removeObserver(listener)
        center.post(name: .other, object: nil)
        #expect(listener.log.entries == ["happened", "other"])
    }

    @Test func `An observer may remove itself in deinit, as code for Apple's center does`() {
        final class Listener: NSObject, Sendable {
            let center: Switchyard.NotificationCenter
            let log: Log<String>
            init(_ center: Switchyard.NotificationCenter, _ log: Log<String>) {
                self.center = center
                self.log = log
                super.init()
                center.observe(.happened, with: self, Listener.hear)
            }
            deinit { center.removeObserver(self) }
            func hear(_ note: Notification) { log.add("heard") }
        }
        let log = Log<String>()
        do {
            let listener = Listener(center, log)
            center.post(name: .happened, object: nil)
            withExtendedLifetime(listener) {}
        }
        #expect(center.snapshot().entries.isEmpty)
        center.post(name: .happened, object: nil)
        #expect(log.entries == ["heard"])
    }

    @Test(.rule(19)) func `Apple's block observers stay until they are removed`() {
        let log = Log<Int>()
        do {
            _ = center.addObserver(forName: .happened, object: nil, queue: nil) { _ in log.add(1) }
        }
        center.post(name: .happened, object: nil)
        #expect(log.entries == [1])
    }

    @Test(.rule(13)) func `A block that removes its own observer is called once`() {
        final class Holder: @unchecked Sendable { var token: (any NSObjectProtocol)? }
        let holder = Holder()
        let log = Log<Int>()
        holder.token = center.addObserver(forName: .happened, object: nil, queue: nil) {
            [center] _ in
            log.add(1)
            holder.token.map { center.removeObserver($0) }
        }
        center.post(name: .happened, object: nil)
        center.post(name: .happened, object: nil)
        #expect(log.entries == [1])
    }

    @Test func `A subclass that overrides post sees every named post`() {
        final class Spy: Switchyard.NotificationCenter, @unchecked Sendable {
            let log = Log<String>()
            override func post(_ notification: Notification) {
                log.add(notification.name.rawValue)
                super.post(notification)
            }
        }
        let spy = Spy()
        let heard = Log<String>()
        _ = spy.addObserver(forName: nil, object: nil, queue: nil) { heard.add($0.name.rawValue) }
        spy.post(name: .happened, object: nil)
        spy.post(name: .other, object: nil, userInfo: [:])
        spy.post(Notification(name: .happened))
        #expect(spy.log.entries == ["happened", "other", "happened"])
        #expect(heard.entries == ["happened", "other", "happened"])
    }

    @Test func `A post without observers reports that it reached nobody, and is a dead letter`() {
        #expect(center.postAndReport(name: .happened, object: Thing()).reachedNobody)
        let letters = Log<String>()
        center.onDeadLetter { letters.add($0) }
        center.post(name: .happened, object: nil)
        #expect(letters.entries == ["\"happened\""])
    }

    @Test(.rule(30)) func `notifications(named:) ends when its center has gone`() async {
        var center: NotificationCenter? = NotificationCenter()
        var iterator = center?.notifications(named: .happened).makeAsyncIterator()
        center?.post(name: .happened, object: nil, userInfo: ["n": 1])
        center = nil
        #expect(await iterator?.next()?.userInfo?["n"] as? Int == 1)
        #expect(await iterator?.next() == nil)
    }

    @Test func `notifications(named:) yields in order, and its observation ends with its iterator`()
        async
    {
        let sequence = center.notifications(named: .happened)
        do {
            var iterator = sequence.makeAsyncIterator()
            for number in 0..<20 {
                center.post(name: .happened, object: nil, userInfo: ["number": number])
            }
            var numbers: [Int] = []
            for _ in 0..<20 {
                numbers.append(await iterator.next()?.userInfo?["number"] as? Int ?? -1)
            }
            #expect(numbers == Array(0..<20))
        }
        #expect(center.snapshot().entries.isEmpty)
    }

    @Test func `An observer that comes as an optional, or in an AnyHashable, is removed`() {
        final class Controller: NSObject, Sendable {
            func changed(_ notification: Notification) {}
        }
        let (one, other): (Controller?, Controller?) = (Controller(), Controller())
        for controller in [one, other].compactMap(\.self) {
            center.addObserver(
                controller, selector: Controller.changed, name: .happened, object: nil)
        }
        center.removeObserver(one as Any)
        #expect(center.snapshot().entries.count == 1)
        center.removeObserver(AnyHashable(other), name: .happened, object: nil)
        #expect(center.snapshot().entries.isEmpty)
        center.removeObserver(Controller?.none as Any)
    }
}

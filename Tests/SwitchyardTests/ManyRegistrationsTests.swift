// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard
import TestSupport
import Testing

@Suite("One observer with many registrations") struct ManyRegistrationsTests {
    private let center = Switchyard.NotificationCenter()

    private final class Thing: NSObject, Sendable {}

    private final class Listener: NSObject, Sendable {
        let log = Log<String>()
        func hear(_ note: Notification) { log.add(note.name.rawValue) }
    }

    private let listener = Listener()
    private let things = (0..<6).map { _ in Thing() }
    private let names = (0..<6).map { Notification.Name("name \($0)") }

    private func observe(_ name: Int, _ thing: Int) {
        center.observe(names[name], of: things[thing], with: listener, Listener.hear)
    }

    /// The pairs of name and object that are heard.
    private func heard() -> Set<[Int]> {
        var heard: Set<[Int]> = []
        for name in names.indices {
            for thing in things.indices {
                let before = listener.log.entries.count
                center.post(name: names[name], object: things[thing])
                if listener.log.entries.count > before { heard.insert([name, thing]) }
            }
        }
        return heard
    }

    @Test(.rule(13)) func `Each way of removing touches those alone that it names`() {
        for name in names.indices { for thing in things.indices { observe(name, thing) } }
        var left = Set(names.indices.flatMap { name in things.indices.map { [name, $0] } })
        #expect(heard() == left)
        center.removeObserver(listener, name: names[0], object: things[0])
        left.remove([0, 0])
        #expect(heard() == left)
        center.removeObserver(listener, name: nil, object: things[1])
        left = left.filter { $0[1] != 1 }
        #expect(heard() == left)
        center.removeObserver(listener, name: names[2], object: nil)
        left = left.filter { $0[0] != 2 }
        #expect(heard() == left)
        // Those that come later are found as well.
        for (name, thing) in [(0, 0), (2, 1), (2, 2)] { observe(name, thing) }
        center.removeObserver(listener, name: names[0], object: things[0])
        center.removeObserver(listener, name: nil, object: things[1])
        center.removeObserver(listener, name: names[2], object: nil)
        #expect(heard() == left)
        center.removeObserver(listener)
        #expect(heard().isEmpty)
    }
}

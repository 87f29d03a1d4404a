// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Switchyard
import Synchronization
import TestSupport
import Testing

@Suite("Patterns of names", .timeLimit(.minutes(5))) struct PatternTests {
    private typealias Center = Switchyard.NotificationCenter

    private final class Observer: Sendable {
        let log = Log<String>()
        func heard(_ notification: Notification) { log.add(notification.name.rawValue) }
        @MainActor func heardOnMain(_ notification: Notification) {
            log.add("main \(notification.name.rawValue)")
        }
    }

    private final class LaterObserver: Sendable {
        let log = Log<String>()
        func heardLater(_ notification: Notification) async { log.add(notification.name.rawValue) }
    }

    private final class Count: Sendable {
        private let count = Atomic<Int>(0)
        var value: Int { count.load(ordering: .acquiring) }
        func add() { count.wrappingAdd(1, ordering: .releasing) }
    }

    private let center = Center()

    private func names(_ pattern: NamePattern, _ posted: [String]) -> [String] {
        let log = Log<String>()
        let token = center.observe(matching: pattern, on: .poster) { log.add($0.name.rawValue) }
        for name in posted { center.post(name: Notification.Name(name), object: nil) }
        token.cancel()
        for name in posted { center.post(name: Notification.Name(name), object: nil) }
        #expect(log.entries == posted.filter { pattern.matches($0) })
        return log.entries
    }

    @Test(.rule(47)) func `A star is one part of a name, and an angle bracket the rest`() {
        let posted = [
            "a", "a.b", "a.c", "a.b.c", "a.b.c.d", "b.b", "", ".", "a.", ".b", "a..c", "é.b",
        ]
        #expect(names("a.*", posted) == ["a.b", "a.c", "a."])
        #expect(names("*.b", posted) == ["a.b", "b.b", ".b", "é.b"])
        #expect(names("a.*.c", posted) == ["a.b.c", "a..c"])
        #expect(names("a.>", posted) == ["a.b", "a.c", "a.b.c", "a.b.c.d", "a.", "a..c"])
        #expect(names("a.*.>", posted) == ["a.b.c", "a.b.c.d", "a..c"])
        #expect(names("*", posted) == ["a", ""])
        #expect(names("é.*", posted) == ["é.b"])
        #expect(names(">", posted) == posted)
        #expect(names("a.b", posted) == ["a.b"])
    }

    private actor Names {
        let log: Log<String>
        init(_ log: Log<String>) { self.log = log }
        func add(_ name: String) { log.add(name) }
    }

    @Test(.rule(47)) func `Patterns are heard by async methods, on actors, and as sequences`()
        async
    {
        let (log, observer) = (Log<String>(), LaterObserver())
        var names: Names? = Names(log)
        center.observe(matching: "folio.*", with: observer, LaterObserver.heardLater)
        if let names {
            center.observe(matching: "folio.*", on: names) { $0.add($1.name.rawValue) }
        }
        var iterator = center.notifications(matching: "folio.*").makeAsyncIterator()
        for name in ["folio.a", "other", "folio.b"] {
            center.post(name: Notification.Name(name), object: nil)
        }
        #expect(await observer.log.arrival(of: 2) == ["folio.a", "folio.b"])
        #expect(await log.arrival(of: 2) == ["folio.a", "folio.b"])
        #expect(await iterator.next()?.name.rawValue == "folio.a")
        #expect(await iterator.next()?.name.rawValue == "folio.b")
        names = nil
    }

    @Test(.rule(45, 47)) func `A handler of a pattern may end a post`() {
        let log = Log<String>()
        let tokens = [
            center.consume(matching: "folio.*", priority: 1) {
                $0.object == nil ? .passed : .consumed
            },
            center.observe(Notification.Name("folio.saved"), on: .poster) {
                log.add($0.object as? String ?? "none")
            },
        ]
        center.post(name: Notification.Name("folio.saved"), object: "a")
        center.post(name: Notification.Name("folio.saved"), object: nil)
        #expect(log.entries == ["none"])
        for token in tokens { token.cancel() }
        let receipt = center.postAndReport(name: Notification.Name("folio.saved"), object: "a")
        #expect(receipt.reachedNobody)
    }

    @Test(.rule(47)) func `A name whose parts look like wildcards is heard once`() {
        let tokens = [
            center.observe(matching: "*.b", on: .poster) { _ in },
            center.observe(matching: "*.>", on: .poster) { _ in },
            center.observe(matching: "*.*", on: .poster) { _ in },
        ]
        for name in ["a.*", "x.>"] {
            #expect(
                center.postAndReport(name: Notification.Name(name), object: nil).delivered == 2)
        }
        for token in tokens { token.cancel() }
    }

    @Test(.rule(47)) func `A pattern that is none is refused`() {
        for bad in ["a*", "a.b*.c", ">.a", "a.>.b", "a.**", "a>"] {
            #expect(NamePattern(bad) == nil)
        }
        #expect(NamePattern(Array(repeating: "*", count: 33).joined(separator: ".")) == nil)
        let long = Array(repeating: "x", count: 40).joined(separator: ".")
        #expect(NamePattern(long)?.matches(long) == true)
        let widest = Array(repeating: "*", count: 32).joined(separator: ".")
        #expect(names(NamePattern(widest) ?? "x", [widest, long]) == [widest])
        let rest = NamePattern(widest + ".>")
        #expect(rest?.matches(long) == true && rest?.matches(widest) == false)
        #expect(names(rest ?? "x", [widest, long]) == [long])
    }

    @Test func `A literal that is no pattern stops the program`() async {
        await #expect(processExitsWith: .failure) {
            _ = Center().observe(matching: "a.b*") { _ in }
        }
    }

    @Test(.rule(7, 47)) func `Names, patterns and any name stand in one order of registration`() {
        let log = Log<String>()
        let name = Notification.Name("folio.document.saved")
        let object = NSObject()
        let tokens = [
            center.observe(matching: "folio.>", on: .poster) { _ in log.add("1") },
            center.observe(name, on: .poster) { _ in log.add("2") },
            center.observe(nil, on: .poster) { _ in log.add("3") },
            center.observe(matching: "*.*.saved", of: object, on: .poster) { _ in log.add("4") },
            center.observe(matching: "folio.*.*", on: .poster) { _ in log.add("5") },
            center.observe(name, of: object, on: .poster) { _ in log.add("6") },
            center.observe(matching: "*.document.*", on: .poster) { _ in log.add("7") },
            center.observe(matching: "x.>", on: .poster) { _ in log.add("never") },
        ]
        #expect(center.postAndReport(name: name, object: object).delivered == 7)
        #expect(log.entries == ["1", "2", "3", "4", "5", "6", "7"])
        #expect(center.postAndReport(name: name, object: NSObject()).delivered == 5)
        #expect(center.postAndReport(name: Notification.Name("y"), object: nil).delivered == 1)
        for token in tokens { token.cancel() }
    }

    @Test(.rule(47)) func `Methods, async handlers and the main actor hear patterns, too`() async {
        let (observer, other) = (Observer(), Log<String>())
        center.observe(matching: "p.*", with: observer, Observer.heard, on: .poster)
        center.observe(matching: "p.*", with: observer, Observer.heardOnMain)
        let tokens = [
            center.observe(matching: "p.*") { (notification: Notification) async in
                await Task.yield()
                other.add(notification.name.rawValue)
            },
            center.observe(matching: "p.*", on: .main) { other.add("main \($0.name.rawValue)") },
        ]
        center.post(name: Notification.Name("p.x"), object: nil)
        #expect(await observer.log.arrival(of: 2).sorted() == ["main p.x", "p.x"])
        #expect(await other.arrival(of: 2).sorted() == ["main p.x", "p.x"])
        for token in tokens { token.cancel() }
    }

    @Test(.rule(43, 47))
    func `An observer of a pattern that comes late hears the latest of each name`() {
        let log = Log<String>()
        for name in ["s.a", "t.a", "s.b", "s.a"] {
            center.post(name: Notification.Name(name), retaining: .latest)
        }
        let token = center.observe(matching: "s.*", on: .poster, options: .replayingLatest) {
            log.add($0.name.rawValue)
        }
        #expect(log.entries == ["s.b", "s.a"])
        token.cancel()
    }

    @Test(.rule(46, 47)) func `Observers of names and of patterns can be one group`() {
        let log = Log<String>()
        let tokens = [
            center.observe(matching: "g.*", on: .poster, options: .inGroup("g")) { _ in
                log.add("pattern")
            },
            center.observe(Notification.Name("g.a"), on: .poster, options: .inGroup("g")) { _ in
                log.add("name")
            },
        ]
        for name in ["g.a", "g.a", "g.b"] {
            center.post(name: Notification.Name(name), object: nil)
        }
        #expect(log.entries == ["pattern", "name", "pattern"])
        for token in tokens { token.cancel() }
    }

    @Test(.rule(47)) func `Ten thousand patterns are heard, and forgotten`() {
        let counts = (0..<10_000).map { _ in Log<Int>() }
        var tokens = (0..<10_000).map { index in
            center.observe(matching: NamePattern("m.\(index).*") ?? "x", on: .poster) { _ in
                counts[index].add(index)
            }
        }
        for index in stride(from: 0, to: 10_000, by: 7) {
            let name = Notification.Name("m.\(index).x")
            #expect(center.postAndReport(name: name, object: nil).delivered == 1)
            #expect(counts[index].entries == [index])
        }
        for token in tokens { token.cancel() }
        tokens.removeAll()
        #expect(center.postAndReport(name: Notification.Name("m.7.x"), object: nil).reachedNobody)
    }

    @Test(.rule(1, 47)) func `Patterns come and go while others post`() {
        let (heard, isDone) = (Count(), Count())
        let steady = center.observe(matching: "load.*.x", on: .poster) { _ in
            heard.add()
        }
        let group = DispatchGroup()
        let center = center
        for thread in 0..<2 {
            DispatchQueue.global().async(group: group) {
                while isDone.value == 0 {
                    for pattern: NamePattern in [
                        "load.>", "*.1.*", "load.*.*", "*.*.>", "load.1.*",
                    ] {
                        let token = center.observe(matching: pattern, on: .poster) { _ in }
                        token.cancel()
                    }
                }
            }
            DispatchQueue.global().async(group: group) {
                for number in 0..<10_000 {
                    center.post(name: Notification.Name("load.\(number % 3).x"), object: nil)
                }
                if thread == 0 { isDone.add() }
            }
        }
        group.wait()
        #expect(heard.value == 20_000)
        steady.cancel()
    }

    @Test(.rule(47), arguments: [3, 9, 20, 31])
    func `A wildcard may stand for an empty part of a name`(parts: Int) throws {
        let center = Center()
        let stars = Array(repeating: "*", count: parts).joined(separator: ".")
        let name = String(repeating: ".", count: parts - 1)
        let patterns = try [stars, stars + ".>"].map { try #require(NamePattern($0)) }
        #expect(patterns[0].matches(name) && !patterns[0].matches(name + "."))
        #expect(patterns[1].matches(name + ".") && !patterns[1].matches(name))
        let count = Count()
        let tokens = patterns.map { center.observe(matching: $0) { _ in count.add() } }
        center.post(name: Notification.Name(name), object: nil)
        center.post(name: Notification.Name(name + "."), object: nil)
        #expect(count.value == 2)
        for token in tokens { token.cancel() }
    }
}

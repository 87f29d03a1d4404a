// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard
import TestSupport
import Testing

/// A key that is equal by its number alone, and calls a closure when it is compared.
private struct Key: Hashable, Sendable {
    let number: Int
    var asked: Log<Void>?
    var whenAsked: (@Sendable () -> Void)?

    static func == (left: Key, right: Key) -> Bool {
        left.asked?.add(())
        left.whenAsked?()
        return left.number == right.number
    }

    // All hashes are equal, so all keys collide.
    func hash(into hasher: inout Hasher) { hasher.combine(1) }
}

private struct Tick: NotificationMessage {
    typealias Subject = String
    var number = 0
}

private struct Beat: NotificationMessage { var number = 0 }

private struct NamedPing: Switchyard.NotificationCenter.AsyncMessage {
    typealias Subject = NSObject
    static let name = Notification.Name("named ping")
    var number = 0
}

@Suite("Notification queues: coalescing", .timeLimit(.minutes(5)))
struct NotificationQueueCoalescingTests {
    let fixture = QueueFixture()

    /// The posts that come of the entries that `body` enqueues.
    private func posted(_ body: @escaping @Sendable (Queue) -> Void) -> [String] {
        onThread { [fixture] in
            let queue = Queue(notificationCenter: fixture.center)
            body(queue)
            runLoop()
        }
        return fixture.log.entries
    }

    /// Runs the loop until `condition` holds. For subjects that must not leave the thread: they
    /// give its loop a source, with which the loop never ends by itself.
    private func posted(
        _ body: @escaping @Sendable (Queue) -> Void,
        until condition: @escaping @Sendable () -> Bool
    ) {
        onThread { [fixture] in
            let queue = Queue(notificationCenter: fixture.center)
            body(queue)
            let limit = Date(timeIntervalSinceNow: 240)
            while !condition(), Date() < limit {
                _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
            }
        }
    }

    @Test(.rule(26)) func `Coalescing on name ignores the object`() {
        let log = posted { queue in
            let mask = Queue.NotificationCoalescing.onName
            for (number, name) in ["a", "b", "a", "c", "b", "a"].enumerated() {
                queue.enqueue(
                    note(name, number, of: NSObject()), postingStyle: .asap, coalesceMask: mask,
                    forModes: nil)
            }
        }
        #expect(log == ["c:3", "b:4", "a:5"])
    }

    @Test(.rule(26)) func `Coalescing on sender ignores the name; nil equals nil only`() {
        let log = posted { queue in
            let (one, two) = (NSObject(), NSObject())
            let all: [(String, Any?)] = [
                ("a", one), ("b", two), ("c", nil), ("d", one), ("e", "x"), ("f", nil), ("g", "x"),
                ("h", 1), ("i", 1.0), ("j", "1"),
            ]
            for (name, object) in all {
                queue.enqueue(
                    note(name, of: object), postingStyle: .asap, coalesceMask: .onSender,
                    forModes: nil)
            }
        }
        #expect(log == ["b", "d", "f", "g", "i", "j"])
    }

    @Test(.rule(26)) func `Coalescing is on name and sender by default, in both styles`() {
        let log = posted { queue in
            let (one, two) = (NSObject(), NSObject())
            queue.enqueue(note("a", 1, of: one), postingStyle: .asap)
            queue.enqueue(note("a", 2, of: two), postingStyle: .asap)
            queue.enqueue(note("b", 3, of: one), postingStyle: .whenIdle)
            queue.enqueue(note("a", 4, of: nil), postingStyle: .asap)
            queue.enqueue(note("a", 5, of: one), postingStyle: .whenIdle)
            queue.enqueue(note("b", 6, of: one), postingStyle: .asap)
            queue.enqueue(note("a", 7, of: "s"), postingStyle: .asap)
            queue.enqueue(note("a", 8, of: "s"), postingStyle: .asap)
        }
        #expect(log == ["a:2", "a:4", "b:6", "a:8", "a:5"])
    }

    @Test(.rule(26)) func `An empty mask removes nothing`() {
        let log = posted { queue in
            for number in 0..<3 {
                queue.enqueue(
                    note("a", number), postingStyle: .asap, coalesceMask: .none, forModes: nil)
            }
        }
        #expect(log == ["a:0", "a:1", "a:2"])
    }

    @Test(.rule(26))
    func `The new mask removes every match, whatever mask the match was enqueued with`() {
        let log = posted { queue in
            for number in 0..<5 {
                queue.enqueue(
                    note("a", number), postingStyle: number % 2 == 0 ? .asap : .whenIdle,
                    coalesceMask: [], forModes: number == 4 ? [.special] : nil)
            }
            queue.enqueue(note("b", 5), postingStyle: .asap)
            queue.enqueue(
                note("a", 6), postingStyle: .asap, coalesceMask: .onName, forModes: nil)
            runLoop(.special)
        }
        #expect(log == ["b:5", "a:6"])
    }

    @Test(.rule(26)) func `A new entry removes all its matches, not only the last`() {
        let log = posted { queue in
            for style in [Queue.PostingStyle.whenIdle, .asap] {
                queue.enqueue(note("a", 1), postingStyle: style, coalesceMask: [], forModes: nil)
            }
            queue.enqueue(note("b", 2), postingStyle: .whenIdle)
            queue.enqueue(note("a", 3), postingStyle: .asap, coalesceMask: .onName, forModes: nil)
        }
        #expect(log == ["a:3", "b:2"])
    }

    @Test(.rule(26)) func `The survivor has the last payload, style, modes and position`() {
        let log = posted { queue in
            queue.enqueue(note("a", 1), postingStyle: .asap)
            queue.enqueue(note("b", 2), postingStyle: .asap)
            queue.enqueue(note("a", 3), postingStyle: .asap)
            queue.enqueue(note("b", 4), postingStyle: .whenIdle)
            queue.enqueue(
                note("c", 5), postingStyle: .asap, coalesceMask: .onName, forModes: [.special])
            queue.enqueue(
                note("c", 6), postingStyle: .whenIdle, coalesceMask: .onName, forModes: [.default])
        }
        #expect(log == ["a:3", "b:4", "c:6"])
    }

    @Test(.rule(26)) func `The queues of a thread do not coalesce with each other`() {
        let log = posted { [fixture] queue in
            let other = Queue(notificationCenter: fixture.center)
            queue.enqueue(note("a", 1), postingStyle: .asap)
            other.enqueue(note("a", 2), postingStyle: .asap)
            other.enqueue(note("a", 3), postingStyle: .asap)
            other.dequeueNotifications(matching: note("a"), coalesceMask: .onSender)
        }
        #expect(log == ["a:1"])
    }

    @Test(.rule(26)) func `Each of many queues has its own entries`() {
        let log = posted { [fixture] _ in
            let queues = (0..<1_000).map { _ in Queue(notificationCenter: fixture.center) }
            for round in 0..<2 {
                for (number, queue) in queues.enumerated() {
                    queue.enqueue(note("a", round * 1_000 + number), postingStyle: .asap)
                }
            }
        }
        #expect(log == (1_000..<2_000).map { "a:\($0)" })
    }

    @Test(.rule(26)) func `Dequeuing takes an option set, or Apple's number`() {
        let log = posted { queue in
            let object = NSObject()
            func fill() {
                for (number, name) in ["a", "b"].enumerated() {
                    queue.enqueue(
                        note(name, number, of: object), postingStyle: .asap, coalesceMask: [],
                        forModes: nil)
                    queue.enqueue(
                        note(name, number + 2), postingStyle: .whenIdle, coalesceMask: [],
                        forModes: nil)
                }
            }
            fill()
            queue.dequeueNotifications(
                matching: note("a", of: object), coalesceMask: [.onName, .onSender])
            queue.dequeueNotifications(matching: note("b"), coalesceMask: 3)
            queue.dequeueNotifications(matching: note("a"), coalesceMask: [])
            queue.dequeueNotifications(matching: note("a"), coalesceMask: 0)
            queue.dequeueNotifications(matching: note("a", of: NSObject()), coalesceMask: 2)
        }
        #expect(log == ["b:1", "a:2"])
    }

    @Test(.rule(26)) func `Ten thousand waiting entries are found by a look-up, in order`() {
        let log = posted { queue in
            for number in 0..<10_000 {
                queue.enqueue(note("n\(number)", number), postingStyle: .asap)
            }
            for number in stride(from: 0, to: 10_000, by: 2) {
                queue.enqueue(
                    note("n\(number)", -number), postingStyle: .asap,
                    coalesceMask: number % 4 == 0 ? .onName : [.onName, .onSender], forModes: nil)
            }
            for number in stride(from: 1, to: 10_000, by: 4) {
                queue.dequeueNotifications(matching: note("n\(number)"), coalesceMask: .onName)
            }
        }
        let stayed = stride(from: 3, to: 10_000, by: 4).map { "n\($0):\($0)" }
        let replaced = stride(from: 0, to: 10_000, by: 2).map { "n\($0):\(-$0)" }
        #expect(log == stayed + replaced)
    }

    // MARK: - Values

    @Test(.rule(26)) func `Values are compared by their own equality`() {
        let log = posted { queue in
            for number in [1, 2, 1, 3, 2] {
                queue.enqueue(
                    note("a", number, of: Key(number: number)), postingStyle: .asap,
                    coalesceMask: .onSender, forModes: nil)
            }
        }
        #expect(log == ["a:1", "a:3", "a:2"])
    }

    @Test(.rule(1)) func `A value's equality runs without a lock, so it may enqueue and dequeue`() {
        let log = posted { queue in
            let asked = Log<Void>()
            let nosy = Key(
                number: 1, asked: asked,
                whenAsked: {
                    guard asked.entries.count == 1 else { return }
                    queue.enqueue(note("from =="), postingStyle: .whenIdle)
                    queue.enqueue(
                        note("b", of: Key(number: 1)), postingStyle: .asap, coalesceMask: [],
                        forModes: nil)
                })
            queue.enqueue(note("a", 1, of: nosy), postingStyle: .asap)
            queue.enqueue(
                note("a", 2, of: Key(number: 1)), postingStyle: .asap, coalesceMask: .onSender,
                forModes: nil)
            #expect(!asked.entries.isEmpty)
        }
        // Entries that came while the key was compared were compared as well.
        #expect(log == ["a:2", "from =="])
    }

    @Test(.rule(1)) func `A coalesced entry is released without a lock`() {
        final class Probe: NSObject {
            let last: () -> Void
            init(_ last: @escaping () -> Void) { self.last = last }
            deinit { last() }
        }
        let log = posted { queue in
            queue.enqueue(
                Notification(
                    name: Notification.Name("a"), object: nil,
                    userInfo: [
                        "probe": Probe { queue.enqueue(note("from deinit"), postingStyle: .asap) }
                    ]), postingStyle: .asap)
            queue.enqueue(note("a", 2), postingStyle: .asap)
        }
        #expect(log == ["a:2", "from deinit"])
    }

    // MARK: - Keeping the first

    @Test(.rule(26)) func `The option to keep the first keeps the first entry`() {
        let log = posted { queue in
            for number in 0..<3 {
                queue.enqueue(
                    note("a", number), postingStyle: number == 0 ? .whenIdle : .asap,
                    keeping: .first)
                queue.enqueue(
                    note("b", number, of: Key(number: number / 2)), postingStyle: .asap,
                    coalesceMask: .onSender, keeping: .first)
                queue.enqueue(note("c", number), postingStyle: .asap, keeping: .latest)
            }
            queue.enqueue(note("a", 3), postingStyle: .now, keeping: .first)
            queue.enqueue(note("d", 4), postingStyle: .now, keeping: .first)
        }
        #expect(log == ["d:4", "b:0", "b:2", "c:2", "a:0"])
    }

    // MARK: - Typed messages

    @Test(.rule(26)) func `Typed messages are queued, and coalesced on their type and subject`() {
        let log = Log<String>()
        let tokens = [
            fixture.center.observe(Tick.self) { log.add("tick \($0.number)") },
            fixture.center.observe(Tick.self, of: "x") { log.add("x \($0.number)") },
            fixture.center.observe(Beat.self) { log.add("beat \($0.number)") },
        ]
        _ = posted { queue in
            queue.enqueue(Tick(number: 1), subject: "x", postingStyle: .asap)
            queue.enqueue(Tick(number: 2), subject: "y", postingStyle: .asap)
            queue.enqueue(Beat(number: 3), postingStyle: .whenIdle)
            queue.enqueue(Tick(number: 4), subject: "x", postingStyle: .asap)
            queue.enqueue(Beat(number: 5), postingStyle: .whenIdle, keeping: .first)
            queue.enqueue(Beat(number: 6), postingStyle: .now, coalesceMask: [])
            queue.enqueue(Tick(number: 7), postingStyle: .asap, forModes: [.special])
            log.add("run")
            runLoop(.special)
        }
        #expect(
            log.entries == ["beat 6", "run", "tick 7", "tick 2", "tick 4", "x 4", "beat 3"])
        for token in tokens { token.cancel() }
    }

    @Test(.rule(26)) func `A message that has a name coalesces with notifications of that name`() {
        let log = fixture.log
        posted { queue in
            let object = NSObject()
            queue.enqueue(note("named ping", 1, of: object), postingStyle: .asap)
            queue.enqueue(note("named ping", 2), postingStyle: .asap)
            queue.enqueue(NamedPing(number: 3), subject: object, postingStyle: .asap)
        } until: {
            log.entries.count == 2
        }
        #expect(log.entries == ["named ping:2", "named ping"])
    }

    @Test func `Messages about instances go through the form for instances`() {
        let object = NSObject()
        let log = Log<Int>()
        let token = fixture.center.observe(Ping.self, of: object) { log.add($0.number) }
        nonisolated(unsafe) let subject = object
        posted { queue in
            queue.enqueue(Ping(number: 1), subject: subject, postingStyle: .asap)
            queue.enqueue(Ping(number: 2), subject: subject, postingStyle: .asap)
            queue.enqueue(Ping(number: 3), subject: subject, postingStyle: .now, coalesceMask: [])
        } until: {
            log.entries.count == 2
        }
        #expect(log.entries == [3, 2])
        token.cancel()
    }

    // MARK: - Dying objects

    @Test(.rule(5))
    func `A notification enqueued in a deinit waits without its object, and that is reported`() {
        final class Dying: NSObject {
            let queue: Queue
            init(_ queue: Queue) { self.queue = queue }
            deinit {
                for style in [Queue.PostingStyle.now, .asap, .whenIdle] {
                    queue.enqueue(note("\(style)", of: self), postingStyle: style)
                    queue.enqueue(Ping(), subject: self, postingStyle: style, coalesceMask: [])
                }
            }
        }
        let log = Log<String>()
        for name in ["now", "asap", "whenIdle"] {
            _ = fixture.center.addObserver(
                forName: Notification.Name(name), object: nil, queue: nil
            ) { log.add("\(name) \($0.object != nil)") }
        }
        let token = fixture.center.observe(Ping.self) { _ in log.add("ping") }
        _ = posted { queue in _ = Dying(queue) }
        #expect(
            log.entries == ["now true", "ping", "asap false", "ping", "whenIdle false", "ping"])
        #expect(fixture.problems.entries.map(\.kind) == Array(repeating: .objectIsGone, count: 4))
        token.cancel()
    }

    @Test
    func `An entry that an object enqueues in its deinit removes no entry about another object`() {
        final class Dying: NSObject {
            let (queue, number): (Queue, Int)
            init(_ queue: Queue, _ number: Int) { (self.queue, self.number) = (queue, number) }
            deinit {
                queue.enqueue(
                    Notification(
                        name: Notification.Name("dying"), object: self,
                        userInfo: ["number": number]), postingStyle: .asap)
                queue.enqueue(Ping(number: number), subject: self, postingStyle: .asap)
            }
        }
        let log = Log<String>()
        _ = fixture.center.addObserver(
            forName: Notification.Name("dying"), object: nil, queue: nil
        ) { log.add("\($0.userInfo?["number"] ?? "-")") }
        let token = fixture.center.observe(Ping.self) { log.add("ping \($0.number)") }
        _ = posted { queue in
            for number in 1...3 { _ = Dying(queue, number) }
        }
        #expect(log.entries == ["1", "ping 1", "2", "ping 2", "3", "ping 3"])
        token.cancel()
    }
}

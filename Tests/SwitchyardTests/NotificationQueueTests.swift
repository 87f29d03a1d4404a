// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard
import TestSupport
import Testing

typealias Queue = Switchyard.NotificationQueue

extension RunLoop.Mode {
    static let special = RunLoop.Mode("special")
}

/// A center that notes down its posts, as `name` or `name:userInfo["number"]`.
final class QueueFixture: Sendable {
    let center = Switchyard.NotificationCenter()
    let log = Log<String>()
    let problems = Log<DeliveryProblem>()

    init() {
        _ = center.addObserver(forName: nil, object: nil, queue: nil) { [log] note in
            log.add(Self.text(note))
        }
        center.onProblem { [problems] in problems.add($0) }
    }

    static func text(_ note: Notification) -> String {
        guard let number = note.userInfo?["number"] else { return note.name.rawValue }
        return "\(note.name.rawValue):\(number)"
    }
}

func note(_ name: String, _ number: Int? = nil, of object: Any? = nil) -> Notification {
    Notification(
        name: Notification.Name(name), object: object, userInfo: number.map { ["number": $0] })
}

/// Runs the calling thread's loop until the loop has nothing left to do, a minute at most.
func runLoop(_ mode: RunLoop.Mode = .default) {
    _ = RunLoop.current.run(mode: mode, before: Date(timeIntervalSinceNow: 60))
}

@Suite("Notification queues: styles, order, modes", .timeLimit(.minutes(5)))
struct NotificationQueueTests {
    let fixture = QueueFixture()

    // MARK: - Styles

    @Test(.rule(25)) func `The style now posts at once when the loop does not run`() {
        onThread { [fixture] in
            let queue = Queue(notificationCenter: fixture.center)
            queue.enqueue(note("a"), postingStyle: .now)
            #expect(fixture.log.entries == ["a"])
        }
        #expect(fixture.log.entries == ["a"])
    }

    @Test(.rule(25)) func `The style now removes matching entries, and others stay`() {
        onThread { [fixture] in
            let queue = Queue(notificationCenter: fixture.center)
            queue.enqueue(note("a", 1), postingStyle: .asap)
            queue.enqueue(note("b", 2), postingStyle: .whenIdle)
            queue.enqueue(note("a", 3), postingStyle: .now, coalesceMask: .none, forModes: nil)
            queue.enqueue(note("a", 4), postingStyle: .now)
            runLoop()
        }
        #expect(fixture.log.entries == ["a:3", "a:4", "b:2"])
    }

    @Test(.rule(25)) func `The style asap waits for the loop, and precedes idle`() {
        onThread { [fixture] in
            let queue = Queue(notificationCenter: fixture.center)
            queue.enqueue(note("idle"), postingStyle: .whenIdle)
            queue.enqueue(note("asap"), postingStyle: .asap)
            #expect(fixture.log.entries == [])
            runLoop()
        }
        #expect(fixture.log.entries == ["asap", "idle"])
    }

    @Test(.rule(25)) func `The style asap posts at the end of the callout that enqueued`() {
        onThread { [fixture] in
            let queue = Queue(notificationCenter: fixture.center)
            let timer = Timer(fire: Date(), interval: 0, repeats: false) { _ in
                queue.enqueue(note("idle"), postingStyle: .whenIdle)
                queue.enqueue(note("asap"), postingStyle: .asap)
                RunLoop.current.perform { fixture.log.add("what else is to be done") }
                fixture.log.add("timer ends")
            }
            RunLoop.current.add(timer, forMode: .default)
            runLoop()
        }
        #expect(
            fixture.log.entries == ["timer ends", "asap", "what else is to be done", "idle"])
    }

    @Test(.rule(25))
    func `An asap entry made when the loop is about to wait is posted before the loop waits`() {
        onThread { [fixture] in
            let queue = Queue(notificationCenter: fixture.center)
            let token = fixture.center.observe(Notification.Name("idle")) { _ in
                queue.enqueue(note("asap"), postingStyle: .asap)
            }
            queue.enqueue(note("idle"), postingStyle: .whenIdle)
            runLoop()
            token.cancel()
        }
        #expect(fixture.log.entries == ["idle", "asap"])
    }

    @Test(.rule(25))
    func `Entries of a style are posted first in, first out, over all queues of the thread`() {
        onThread { [fixture] in
            let queues = (0..<3).map { _ in Queue(notificationCenter: fixture.center) }
            for number in 0..<30 {
                queues[number % 3].enqueue(
                    note("n", number), postingStyle: number < 15 ? .asap : .whenIdle,
                    coalesceMask: [], forModes: nil)
            }
            runLoop()
        }
        #expect(fixture.log.entries == (0..<30).map { "n:\($0)" })
    }

    @Test(.rule(25))
    func `Entries of a style are posted first in, first out, over different modes`() {
        onThread { [fixture] in
            let queue = Queue(notificationCenter: fixture.center)
            let modes: [[RunLoop.Mode]?] = [
                nil, [.common], [.default, .special], [.default], [.special], [.special, .common],
            ]
            for style in [Queue.PostingStyle.asap, .whenIdle] {
                for number in 0..<24 {
                    queue.enqueue(
                        note("\(style)", number), postingStyle: style, coalesceMask: [],
                        forModes: modes[number % 6])
                }
            }
            runLoop()
            fixture.log.add("special")
            runLoop(.special)
        }
        let inDefault = (0..<24).filter { $0 % 6 != 4 }
        let inSpecial = (0..<24).filter { $0 % 6 == 4 }
        #expect(
            fixture.log.entries == inDefault.map { "asap:\($0)" }
                + inDefault.map { "whenIdle:\($0)" } + ["special"]
                + inSpecial.map { "asap:\($0)" } + inSpecial.map { "whenIdle:\($0)" })
    }

    @Test(.rule(25)) func `An idle entry is not posted while the loop is only polled`() {
        onThread { [fixture] in
            let queue = Queue(notificationCenter: fixture.center)
            queue.enqueue(note("idle"), postingStyle: .whenIdle)
            queue.enqueue(note("asap"), postingStyle: .asap)
            for _ in 0..<3 { _ = RunLoop.current.run(mode: .default, before: .distantPast) }
            #expect(fixture.log.entries == ["asap"])
            // The idle entry is still there when the loop is run to wait.
            runLoop()
        }
        #expect(fixture.log.entries == ["asap", "idle"])
    }

    // MARK: - The loop

    @Test func `A waiting entry makes a loop without sources run, and does not keep it running`() {
        for style in [Queue.PostingStyle.asap, .whenIdle] {
            let fixture = QueueFixture()
            onThread {
                let queue = Queue(notificationCenter: fixture.center)
                queue.enqueue(note("a"), postingStyle: style)
                // The run returns when the loop has nothing to do any more.
                RunLoop.current.run()
                fixture.log.add("returned")
            }
            #expect(fixture.log.entries == ["a", "returned"])
        }
    }

    @Test func `A loop that a handler fills for a while returns when it stops`() {
        onThread { [fixture] in
            let queue = Queue(notificationCenter: fixture.center)
            let token = fixture.center.observe(Notification.Name("n")) { note in
                let number = note.userInfo?["number"] as? Int ?? 0
                let style: Queue.PostingStyle = number % 3 == 0 ? .whenIdle : .asap
                if number < 50 {
                    queue.enqueue(SwitchyardTests.note("n", number + 1), postingStyle: style)
                }
            }
            queue.enqueue(note("n", 0), postingStyle: .asap)
            RunLoop.current.run()
            token.cancel()
        }
        #expect(fixture.log.entries == (0...50).map { "n:\($0)" })
    }

    @Test func `A dequeued entry does not keep a loop from returning`() {
        onThread { [fixture] in
            let queue = Queue(notificationCenter: fixture.center)
            let token = fixture.center.observe(Notification.Name("a")) { _ in
                for style in [Queue.PostingStyle.asap, .whenIdle] {
                    queue.enqueue(note("gone"), postingStyle: style)
                    queue.dequeueNotifications(matching: note("gone"), coalesceMask: .onName)
                }
            }
            queue.enqueue(note("a", 1), postingStyle: .asap)
            queue.enqueue(note("a", 2), postingStyle: .whenIdle, coalesceMask: [], forModes: nil)
            queue.enqueue(note("x"), postingStyle: .asap)
            queue.dequeueNotifications(matching: note("x"), coalesceMask: .onName)
            RunLoop.current.run()
            queue.enqueue(note("a", 3), postingStyle: .asap)
            RunLoop.current.run()
            token.cancel()
        }
        #expect(fixture.log.entries == ["a:1", "a:2", "a:3"])
    }

    // MARK: - Modes

    @Test(.rule(24)) func `An empty list of modes means the default mode`() {
        for modes in [nil, [], [.default]] as [[RunLoop.Mode]?] {
            let fixture = QueueFixture()
            onThread {
                let queue = Queue(notificationCenter: fixture.center)
                for style in [Queue.PostingStyle.asap, .whenIdle] {
                    queue.enqueue(
                        note("\(style)"), postingStyle: style, coalesceMask: [], forModes: modes)
                }
                runLoop(.special)
                fixture.log.add("default")
                runLoop()
            }
            #expect(fixture.log.entries == ["default", "asap", "whenIdle"])
        }
    }

    @Test(.rule(24)) func `Entries wait for their custom modes, one or several`() {
        onThread { [fixture] in
            let queue = Queue(notificationCenter: fixture.center)
            let other = RunLoop.Mode("other")
            for style in [Queue.PostingStyle.asap, .whenIdle] {
                queue.enqueue(
                    note("\(style) special"), postingStyle: style, coalesceMask: [],
                    forModes: [.special])
                queue.enqueue(
                    note("\(style) both"), postingStyle: style, coalesceMask: [],
                    forModes: [.special, other])
            }
            runLoop()
            fixture.log.add("other")
            runLoop(other)
            fixture.log.add("special")
            runLoop(.special)
        }
        #expect(
            fixture.log.entries == [
                "other", "asap both", "whenIdle both", "special", "asap special",
                "whenIdle special",
            ])
    }

    @Test(.rule(24))
    func `Entries for ever new modes wait for theirs, before and after lanes are used again`() {
        onThread { [fixture] in
            let queue = Queue(notificationCenter: fixture.center)
            // From the third round on, lanes are used again; then the first modes come back.
            for round in Self.rounds {
                let modes = (0..<16).map { RunLoop.Mode("mode \(round) \($0)") }
                // Each mode twice, so that the second entry has to find the lane of the first.
                for number in 0..<32 {
                    queue.enqueue(
                        note("\(round)", number), postingStyle: .asap, coalesceMask: [],
                        forModes: [modes[number % 16]])
                }
                for mode in modes.reversed() { runLoop(mode) }
            }
        }
        let numbers = (0..<16).reversed().flatMap { [$0, $0 + 16] }
        #expect(
            fixture.log.entries
                == Self.rounds.flatMap { round in numbers.map { "\(round):\($0)" } })
    }

    private static let rounds = [0, 1, 2, 0, 3]

    @Test(.rule(24)) func `Common modes are the loop's set, with modes that join it later`() {
        onThread { [fixture] in
            let queue = Queue(notificationCenter: fixture.center)
            let late = RunLoop.Mode("late")
            for style in [Queue.PostingStyle.asap, .whenIdle] {
                queue.enqueue(
                    note("\(style) 1"), postingStyle: style, coalesceMask: [], forModes: [.common])
            }
            // The mode exists, and is not common.
            runLoop(late)
            let added = Self.makeCommon(late)
            fixture.log.add("late")
            runLoop(late)
            for style in [Queue.PostingStyle.asap, .whenIdle] {
                queue.enqueue(
                    note("\(style) 2"), postingStyle: style, coalesceMask: [], forModes: [.common])
            }
            fixture.log.add("default")
            runLoop()
            withExtendedLifetime(added) {}
        }
        #expect(
            fixture.log.entries == [
                "late", "asap 1", "whenIdle 1", "default", "asap 2", "whenIdle 2",
            ])
    }

    /// Makes a mode a common one. CoreFoundation has a function for that, and Foundation has none.
    private static func makeCommon(_ mode: RunLoop.Mode) -> NSString {
        let name = mode.rawValue as NSString
        addCommonMode(name)
        return name
    }

    @Test(.rule(25)) func `An entry of style now waits in another mode, and is not lost`() {
        onThread { [fixture] in
            let queue = Queue(notificationCenter: fixture.center)
            RunLoop.current.perform(inModes: [.special]) {
                queue.enqueue(note("default"), postingStyle: .now)
                queue.enqueue(
                    note("special"), postingStyle: .now, coalesceMask: [], forModes: [.special])
                queue.enqueue(
                    note("several"), postingStyle: .now, coalesceMask: [],
                    forModes: [.default, .special])
                queue.enqueue(
                    note("common"), postingStyle: .now, coalesceMask: [], forModes: [.common])
            }
            runLoop(.special)
            fixture.log.add("default mode")
            runLoop()
        }
        #expect(
            fixture.log.entries == ["special", "several", "default mode", "default", "common"])
    }

    // MARK: - Inside handlers

    @Test(.rule(22))
    func `An entry made by a handler is posted in the next pass, whatever the lane`() {
        onThread { [fixture] in
            let queue = Queue(notificationCenter: fixture.center)
            let other = Queue(notificationCenter: fixture.center)
            let token = fixture.center.observe(Notification.Name("first")) { _ in
                // The block runs between this pass and the next.
                RunLoop.current.perform { fixture.log.add("next pass") }
                queue.enqueue(note("second"), postingStyle: .asap)
                other.enqueue(
                    note("third"), postingStyle: .asap, coalesceMask: [], forModes: [.common])
                queue.enqueue(note("now"), postingStyle: .now)
            }
            queue.enqueue(note("first"), postingStyle: .asap)
            // This lane's call is collected for the same pass; its post is gone by then.
            other.enqueue(
                note("x"), postingStyle: .asap, coalesceMask: [], forModes: [.common])
            other.dequeueNotifications(matching: note("x"), coalesceMask: .onName)
            runLoop()
            token.cancel()
        }
        #expect(fixture.log.entries == ["first", "now", "next pass", "second", "third"])
    }

    @Test(.rule(22)) func `Handlers of every style enqueue, coalesce and dequeue`() {
        onThread { [fixture] in
            let queue = Queue(notificationCenter: fixture.center)
            let token = fixture.center.observe(Notification.Name("go")) { note in
                let number = note.userInfo?["number"] as? Int ?? 0
                for style in [Queue.PostingStyle.now, .asap, .whenIdle] {
                    queue.enqueue(
                        SwitchyardTests.note("\(style)", number), postingStyle: style,
                        coalesceMask: .onName, forModes: nil)
                }
                queue.enqueue(SwitchyardTests.note("gone"), postingStyle: .asap)
                queue.dequeueNotifications(
                    matching: SwitchyardTests.note("gone"), coalesceMask: [.onName, .onSender])
            }
            queue.enqueue(note("go", 1), postingStyle: .now)
            queue.enqueue(note("go", 2), postingStyle: .asap)
            queue.enqueue(note("go", 3), postingStyle: .whenIdle, coalesceMask: [], forModes: nil)
            runLoop()
            token.cancel()
        }
        #expect(
            fixture.log.entries == [
                "go:1", "now:1", "asap:1", "go:2", "now:2", "asap:2", "go:3", "now:3", "asap:3",
                "whenIdle:3",
            ])
    }

    @Test(.rule(22)) func `A nested loop goes on where the drain around it stopped`() {
        for style in [Queue.PostingStyle.asap, .whenIdle] {
            let fixture = QueueFixture()
            onThread {
                let queue = Queue(notificationCenter: fixture.center)
                let token = fixture.center.observe(Notification.Name("n")) { note in
                    if note.userInfo?["number"] as? Int == 1 {
                        queue.enqueue(
                            SwitchyardTests.note("n", 5), postingStyle: style, coalesceMask: [],
                            forModes: nil)
                        runLoop()
                        fixture.log.add("nested ended")
                    }
                }
                for number in 0..<5 {
                    queue.enqueue(
                        note("n", number), postingStyle: style, coalesceMask: [],
                        forModes: number % 2 == 0 ? nil : [.common])
                }
                runLoop()
                fixture.log.add("ended")
                token.cancel()
            }
            #expect(
                fixture.log.entries == [
                    "n:0", "n:1", "n:2", "n:3", "n:4", "n:5", "nested ended", "ended",
                ])
        }
    }

    @Test(.rule(22)) func `A nested loop posts the remaining entries also when nothing new comes`()
    {
        for style in [Queue.PostingStyle.asap, .whenIdle] {
            let fixture = QueueFixture()
            onThread {
                let queue = Queue(notificationCenter: fixture.center)
                let token = fixture.center.observe(Notification.Name("n")) { note in
                    if (note.userInfo?["number"] as? Int ?? 3) < 2 {
                        runLoop()
                        fixture.log.add("nested ended")
                    }
                }
                for number in 0..<4 {
                    queue.enqueue(
                        note("n", number), postingStyle: style, coalesceMask: [],
                        forModes: number == 2 ? [.common] : nil)
                }
                runLoop()
                fixture.log.add("ended")
                token.cancel()
            }
            #expect(
                fixture.log.entries == [
                    "n:0", "n:1", "n:2", "n:3", "nested ended", "nested ended", "ended",
                ])
        }
    }

    @Test(.rule(23)) func `A storm that feeds itself lets timers through`() {
        onThread { [fixture] in
            let center = Switchyard.NotificationCenter()
            let queue = Queue(notificationCenter: center)
            let stop = Log<Void>()
            let token = center.observe(Notification.Name("storm")) { _ in
                if !stop.entries.isEmpty { return }
                for _ in 0..<2 { queue.enqueue(note("storm"), postingStyle: .asap) }
            }
            let ticks = Log<Void>()
            let timer = Timer(fire: Date(), interval: 0.001, repeats: true) { timer in
                ticks.add(())
                if ticks.entries.count == 20 {
                    stop.add(())
                    timer.invalidate()
                    fixture.log.add("20 ticks")
                }
            }
            RunLoop.current.add(timer, forMode: .default)
            queue.enqueue(note("storm"), postingStyle: .asap)
            runLoop()
            token.cancel()
        }
        #expect(fixture.log.entries == ["20 ticks"])
    }

    // MARK: - The class

    @Test func `Each thread has one default queue, for the default center`() {
        let mine = Log<Queue>()
        onThread {
            mine.add(Queue.default)
            mine.add(Queue.default)
            #expect(Queue.default === Queue.default)
        }
        onThread { mine.add(Queue.default) }
        #expect(mine.entries[0] == mine.entries[1])
        #expect(mine.entries[0] != mine.entries[2])
        onThread {
            let log = Log<String>()
            let name = Notification.Name("default queue")
            let token = Switchyard.NotificationCenter.default.observe(name) { _ in log.add("heard")
            }
            Queue.default.enqueue(Notification(name: name), postingStyle: .asap)
            runLoop()
            #expect(log.entries == ["heard"])
            token.cancel()
        }
    }

    @Test func `Raw values are Apple's`() {
        #expect(Queue.PostingStyle.whenIdle.rawValue == 1)
        #expect(Queue.PostingStyle.asap.rawValue == 2)
        #expect(Queue.PostingStyle.now.rawValue == 3)
        #expect(Queue.NotificationCoalescing.none.rawValue == 0)
        #expect(Queue.NotificationCoalescing.onName.rawValue == 1)
        #expect(Queue.NotificationCoalescing.onSender.rawValue == 2)
    }

    @Test func `A subclass of the center sees queued notifications in its post`() {
        final class Counting: Switchyard.NotificationCenter, @unchecked Sendable {
            let posted = Log<String>()
            override func post(_ notification: Notification) {
                posted.add(notification.name.rawValue)
                super.post(notification)
            }
        }
        let center = Counting()
        onThread {
            let queue = Queue(notificationCenter: center)
            for style in [Queue.PostingStyle.now, .asap, .whenIdle] {
                queue.enqueue(note("\(style)"), postingStyle: style)
            }
            runLoop()
        }
        #expect(center.posted.entries == ["now", "asap", "whenIdle"])
    }
}

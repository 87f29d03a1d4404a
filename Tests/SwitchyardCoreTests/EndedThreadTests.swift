// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Synchronization
import TestSupport
import Testing

@_spi(Engine) @testable import SwitchyardCore

/// Code of the user's that ends its thread where Switchyard is in the middle of something: others
/// go on with that.
@Suite("Ended threads", .timeLimit(.minutes(5))) struct EndedThreadTests {
    private let center = MessageCenter()
    private let hand = HandDrained()

    private static let deinitsHaveToReturn: Comment =
        "ThreadSanitizer leaves out what a deinit does, and takes one that never returns for a fault"

    private static let endsHaveToReturn: Comment =
        "ThreadSanitizer forgets a thread whose end ends again while its end goes on"

    /// An object whose deinit ends the thread.
    private final class LastWord: Sendable {
        deinit { endThisThread() }
    }

    /// A message that holds such an object, or nothing.
    private struct Parting: NotificationMessage {
        let word: LastWord?
    }

    // MARK: Pauses

    @Test(
        .rule(12, 42), .disabled(if: isThreadSanitized, Self.deinitsHaveToReturn),
        arguments: [false, true])
    func `A pause ends although a payload that it drops ends the thread`(hasMailbox: Bool) async {
        let (mailbox, log) = (DeliveryMailbox(target: hand), Log<Int>())
        let context: DeliveryContext = hasMailbox ? .mailbox(mailbox) : .poster
        let token = center.observe(Parting.self, on: context) { _ in log.add(1) }
        token.pause()
        center.post(Parting(word: LastWord()))
        mailbox.drain()
        await onOwnThread {
            onThreads(1) { _ in
                token.resume(.dropping)
                mailbox.drain()
            }
        }
        await until {
            mailbox.drain()
            return !token.isPaused
        }
        #expect(!token.isPaused)
        center.post(Parting(word: nil))
        mailbox.drain()
        #expect(log.entries == [1])
        token.cancel()
    }

    @Test(.rule(12, 42))
    func `An observer hears posts although its condition ended the thread that registered it`() {
        let (center, log) = (center, Log<Int>())
        center.post(Ping(number: 1), retaining: .latest)
        onThreads(1) { _ in
            let options = ObservationOptions.replayingLatest.where { (ping: Ping) in
                if ping.number == 1 { endThisThread() }
                return true
            }
            _ = center.observe(Ping.self, options: options) { log.add($0.number) }
        }
        center.post(Ping(number: 2))
        #expect(log.entries == [2])
    }

    // MARK: Mailboxes

    @Test(.rule(12), .disabled(if: isThreadSanitized, Self.deinitsHaveToReturn))
    func `A mailbox goes on when an object that it lets go ends the thread`() {
        let (mailbox, log) = (DeliveryMailbox(target: hand), Log<Int>())
        let token = center.observe(Ping.self, on: .mailbox(mailbox)) { log.add($0.number) }
        mailbox.shared.releaseOnTarget(.passRetained(LastWord()))
        onThreads(1) { _ in mailbox.drain() }
        let wakeUps = hand.wakeUps.load(ordering: .relaxed)
        center.post(Ping(number: 1))
        #expect(hand.wakeUps.load(ordering: .relaxed) == wakeUps + 1)
        mailbox.drain()
        hand.isHere.store(true, ordering: .relaxed)
        #expect(center.postAndReport(Ping(number: 2)).delivered == 1)
        #expect(log.entries == [1, 2])
        token.cancel()
    }

    @Test(.rule(12))
    func `All posts are told of a mailbox's end although its report ends the thread`()
        async
    {
        let (center, mailbox) = (center, DeliveryMailbox(target: hand))
        let codes = Log<PostWaitError.Code?>()
        let token = center.observe(Ping.self, on: .mailbox(mailbox)) { _ in }
        center.onProblem { _ in endThisThread() }
        for _ in 0..<2 {
            Task {
                do { _ = try await center.postAndWait(Ping()) } catch {
                    codes.add((error as? PostWaitError)?.code)
                }
            }
        }
        await until { mailbox.depth == 2 }
        await onOwnThread { onThreads(1) { _ in mailbox.close() } }
        #expect(mailbox.depth == 0)
        #expect(await codes.arrival(of: 2) == [.targetEnded, .targetEnded])
        token.cancel()
    }

    @Test(.rule(12, 28), .disabled(if: isThreadSanitized, Self.deinitsHaveToReturn))
    func `A delivery waits although one that it displaced ends the thread`() {
        let (center, mailbox, log) = (center, DeliveryMailbox(target: hand), Log<Int>())
        let token = center.observe(
            Parting.self, on: .mailbox(mailbox), options: .bounded(.dropOldest(above: 1))
        ) { _ in log.add(1) }
        // The mailbox lets go of what was displaced when there are 64.
        center.post(Parting(word: LastWord()))
        for _ in 2...64 { center.post(Parting(word: nil)) }
        onThreads(1) { _ in center.post(Parting(word: nil)) }
        mailbox.drain()
        #expect(log.entries == [1])
        token.cancel()
    }

    // MARK: Ends of observations

    @Test(.rule(14), .disabled(if: isThreadSanitized, Self.deinitsHaveToReturn))
    func `cancelAndWait returns although what a handler captured ends the thread that lets it go`()
        async
    {
        let (inside, leave, center) = (Gate(), Gate(), center)
        let token = observe(LastWord(), inside, leave)
        await onOwnThread {
            onThreads(3) { thread in
                if thread == 0 { return center.post(Ping()) }
                inside.wait()
                if thread == 1 {
                    #expect(token.cancelAndWait())
                } else {
                    while !token.observation.has(Observation.State.awaited) {}
                    leave.arrive()
                }
            }
        }
    }

    private func observe(_ word: LastWord, _ inside: Gate, _ leave: Gate) -> ObservationToken {
        center.observe(Ping.self) { _ in
            inside.arrive()
            leave.wait()
            withExtendedLifetime(word) {}
        }
    }

    @Test(.rule(12), .disabled(if: isThreadSanitized, Self.deinitsHaveToReturn))
    func `A stream ends with its center although a value that was kept ends the thread`()
        async
    {
        let center = Box(MessageCenter())
        let stream = center.value.stream(Ping.self)
        center.value.post(Parting(word: LastWord()), retaining: .latest)
        let end = Task { for await _ in stream {} }
        await onOwnThread { onThreads(1) { _ in center.drop() } }
        await end.value
    }

    // MARK: Searches

    private final class Switch: Sendable {
        let isOn = Atomic<Bool>(false)
    }

    /// A value whose `==` ends the thread while its switch is on.
    private struct Fatal: Hashable, Sendable {
        let power: Switch
        static func == (left: Self, right: Self) -> Bool {
            if left.power.isOn.load(ordering: .sequentiallyConsistent) { endThisThread() }
            return true
        }
        func hash(into hasher: inout Hasher) {}
    }

    /// A message about such a value.
    private struct About: NotificationMessage {
        typealias Subject = Fatal
    }

    // In a process of its own: the next thread there gets the record of the one that has ended.
    @Test(.rule(15))
    func `A thread that an equality has ended leaves nothing of its search to the next one`() async
    {
        await #expect(processExitsWith: .success) {
            for registers in [false, true] { Self().leavesNothing(registers: registers) }
        }
    }

    private func leavesNothing(registers: Bool) {
        let (center, power) = (center, Switch())
        let tokens = [
            center.observe(About.self) { _ in },
            center.observe(About.self, of: Fatal(power: power)) { _ in },
        ]
        power.isOn.store(true, ordering: .sequentiallyConsistent)
        onThreads(1) { _ in
            if registers {
                center.observe(About.self, of: Fatal(power: power)) { _ in }.cancel()
            } else {
                center.post(About(), subject: Fatal(power: power))
            }
        }
        power.isOn.store(false, ordering: .sequentiallyConsistent)
        lookWhileNextThreadDelivers()
        for token in tokens { token.cancel() }
    }

    private func lookWhileNextThreadDelivers() {
        let (mailbox, inside, leave) = (DeliveryMailbox(target: hand), Gate(), Gate())
        let token = center.observe(Ping.self, on: .mailbox(mailbox)) { _ in
            inside.arrive()
            leave.wait()
        }
        center.post(Ping())
        onThreads(2) { [center] thread in
            if thread == 0 { return mailbox.drain() }
            inside.wait()
            for _ in 0..<64 { center.observe(About.self) { _ in }.cancel() }
            #expect(center.engine.registry.state.withLock { $0.retired.isEmpty })
            leave.arrive()
        }
        token.cancel()
    }

    // MARK: The end itself

    @Test(.rule(12), .disabled(if: isThreadSanitized, Self.endsHaveToReturn))
    func `Everything is told of a thread's end although some of it ends the thread again`() {
        final class Told: EndsWithThread {
            let (number, log): (Int, Log<Int>)
            init(_ number: Int, _ log: Log<Int>) { (self.number, self.log) = (number, log) }
            func threadEnds() {
                log.add(number)
                if number < 3 { endThisThread() }
            }
        }
        let log = Log<Int>()
        onThreads(1) { _ in
            for number in 1...3 { ThreadEnd.notify(Told(number, log)) }
        }
        #expect(log.entries == [1, 2, 3])
    }

    @Test(.rule(12), .disabled(if: isThreadSanitized, Self.endsHaveToReturn))
    func `A value that is kept while a thread ends is told last, however often the thread ends`() {
        final class Told: EndsWithThread {
            let (number, log): (Int, Log<Int>)
            init(_ number: Int, _ log: Log<Int>) { (self.number, self.log) = (number, log) }
            func threadEnds() {
                log.add(number)
                if number == 1 { ThreadEnd.notify(Told(4, log)) }
                if number < 3 { endThisThread() }
            }
        }
        let log = Log<Int>()
        onThreads(1) { _ in
            for number in 1...3 { ThreadEnd.notify(Told(number, log)) }
        }
        #expect(log.entries == [1, 2, 3, 4])
    }

    @Test(.rule(12), .disabled(if: isThreadSanitized, Self.endsHaveToReturn))
    func `A loop goes on at the thread's end when its body ends the thread`() {
        let log = Log<Int>()
        onThreads(1) { _ in
            ResumableLoop(over: [1, 2, 3]) { number in
                log.add(number)
                if number < 3 { endThisThread() }
            }.run()
        }
        #expect(log.entries == [1, 2, 3])
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard
import Synchronization
import TestSupport
import Testing

/// Run loops that ports keep running, delegates, and the end of ports.
@Suite("Ports, run loops and their ends", .timeLimit(.minutes(5))) struct PortLifetimeTests {
    let past = Date(timeIntervalSinceNow: -1)

    // MARK: - Waiting

    @Test func `Messages wait until the loop runs again`() {
        let log = Log<String>()
        onThread {
            let port = ThreadPort()
            let listener = PortListener { log.add("\($0.msgid)") }
            port.setDelegate(listener)
            defer { withExtendedLifetime(listener) {} }
            try? port.send(id: 1)
            RunLoop.current.add(port, forMode: .default)
            try? port.send(id: 2)
            runLoopOnce()
            onThread { try? port.send(id: 3) }
            log.add("away")
            runLoopOnce()
            port.invalidate()
        }
        #expect(log.entries == ["1", "2", "away", "3"])
    }

    @Test func `A delegate is held weakly, and messages wait until there is one`() {
        let log = Log<String>()
        onThread {
            let port = ThreadPort()
            RunLoop.current.add(port, forMode: .default)
            try? port.send(id: 1)
            runLoopOnce()
            var listener: PortListener? = PortListener { log.add("first hears \($0.msgid)") }
            port.setDelegate(listener)
            #expect(port.delegate() === listener)
            runLoopOnce()
            listener = nil
            #expect(port.delegate() == nil)
            try? port.send(id: 2)
            runLoopOnce()
            log.add("nobody is there")
            let second = PortListener { log.add("second hears \($0.msgid)") }
            port.setDelegate(second)
            runLoopOnce()
            port.setDelegate(nil)
            try? port.send(id: 3)
            runLoopOnce()
            withExtendedLifetime(second) {}
            port.invalidate()
        }
        #expect(log.entries == ["first hears 1", "nobody is there", "second hears 2"])
    }

    @Test(.rule(1)) func `A delegate that goes while messages are sent may use its port in deinit`()
    {
        final class Owner: PortDelegate {
            let port: ThreadPort
            init(_ port: ThreadPort) { self.port = port }
            func handle(_ message: PortMessage) {}
            deinit { _ = port.isValid }
        }
        let receiver = PortThread { _, _ in }
        let port = receiver.port
        let isOver = Atomic<Bool>(false)
        let ended = Log<Int>()
        for number in 1...2 {
            let sender = Thread {
                while !isOver.load(ordering: .relaxed) {
                    try? port.send(id: 1)
                    _ = port.delegate()
                }
                ended.add(number)
            }
            sender.start()
        }
        let thread = Thread {
            // Each step lets go of a delegate that another thread may be about to call.
            for _ in 0..<20_000 { port.setDelegate(Owner(port)) }
            isOver.store(true, ordering: .relaxed)
            ended.add(0)
        }
        thread.start()
        #expect(ended.wait(for: 3).count == 3)
        // The receiver is stopped only after the other threads have ended: otherwise it would wait
        // for the port too.
        if ended.entries.count == 3 { receiver.stop() }
    }

    // MARK: - Run loops

    @Test func `An empty port keeps a run loop running, and removing it lets the loop end`() {
        final class Loop: @unchecked Sendable { var loop: RunLoop? }
        let (port, holder, running, ended) = (ThreadPort(), Loop(), Gate(), Gate())
        let thread = Thread {
            #expect(!runLoopOnce(), "an empty loop does not run")
            holder.loop = RunLoop.current
            RunLoop.current.add(port, forMode: .default)
            RunLoop.current.perform { running.open() }
            RunLoop.current.run()
            ended.open()
        }
        thread.start()
        running.wait()
        holder.loop?.remove(port, forMode: .default)
        #expect(ended.wait())
        #expect(port.isValid)
    }

    @Test func `A port on two run loops is heard on one when a delegate ends the other's thread`() {
        let (port, heard) = (ThreadPort(), Log<UInt32>())
        let receive: @Sendable (PortMessage, Log<String>) -> Void = { message, _ in
            heard.add(message.msgid)
            if message.msgid == 1 { Thread.exit() }
        }
        let threads = ["first", "second"].map { PortThread($0, port: port, receive) }
        for id: UInt32 in 1...6 { try? port.send(id: id) }
        #expect(heard.wait(for: 6) == [1, 2, 3, 4, 5, 6])
        #expect(port.isValid)
        port.invalidate()
        withExtendedLifetime(threads) {}
    }

    @Test func `Invalidating a loop's last port from elsewhere lets the loop end`() {
        let receiver = PortThread { _, _ in }
        receiver.port.invalidate()
        #expect(receiver.ended.wait())
    }

    @Test(.rule(24)) func `A port is heard only in its modes, custom and common ones too`() {
        let log = Log<String>()
        onThread {
            let port = ThreadPort()
            let listener = PortListener { log.add("\($0.msgid)") }
            port.setDelegate(listener)
            defer { withExtendedLifetime(listener) {} }
            let (custom, late) = (RunLoop.Mode("custom"), RunLoop.Mode("late"))
            RunLoop.current.add(port, forMode: custom)
            try? port.send(id: 1)
            #expect(!runLoopOnce())
            runLoopOnce(in: custom)
            RunLoop.current.add(port, forMode: late)
            try? port.send(id: 2)
            runLoopOnce(in: late)
            RunLoop.current.remove(port, forMode: custom)
            try? port.send(id: 3)
            #expect(!runLoopOnce(in: custom))
            log.add("not in custom")
            RunLoop.current.add(port, forMode: .common)
            runLoopOnce()
            port.invalidate()
            #expect(!runLoopOnce(in: late))
        }
        #expect(log.entries == ["1", "2", "not in custom", "3"])
    }

    @Test func `A delegate that removes its port hears no more until it is added again`() {
        let log = Log<String>()
        onThread {
            let port = ThreadPort()
            let listener = PortListener { [unowned port] message in
                log.add("\(message.msgid)")
                if message.msgid == 1 { RunLoop.current.remove(port, forMode: .default) }
            }
            port.setDelegate(listener)
            defer { withExtendedLifetime(listener) {} }
            RunLoop.current.add(port, forMode: .default)
            for id in 1...3 { try? port.send(id: UInt32(id)) }
            runLoopOnce()
            #expect(!runLoopOnce())
            log.add("added again")
            RunLoop.current.add(port, forMode: .default)
            runLoopOnce()
            port.invalidate()
        }
        #expect(log.entries == ["1", "added again", "2", "3"])
    }

    @Test func `A port on two run loops gives each message to one of them, one loop at a time`() {
        let port = ThreadPort()
        let isInside = Atomic<Bool>(false)
        let log = Log<UInt32>()
        let listener = PortListener { message in
            let overlaps = isInside.exchange(true, ordering: .sequentiallyConsistent)
            #expect(!overlaps)
            log.add(message.msgid)
            isInside.store(false, ordering: .sequentiallyConsistent)
        }
        let ready = Log<Int>()
        let ended = Log<Int>()
        for number in 1...2 {
            let thread = Thread {
                RunLoop.current.add(port, forMode: .default)
                ready.add(number)
                RunLoop.current.run()
                ended.add(number)
            }
            thread.start()
        }
        ready.wait(for: 2)
        port.setDelegate(listener)
        defer { withExtendedLifetime(listener) {} }
        for id in 0..<5_000 { try? port.send(id: UInt32(id)) }
        #expect(log.wait(for: 5_000) == (0..<5_000).map { UInt32($0) })
        port.invalidate()
        #expect(ended.wait(for: 2).count == 2)
    }

    @Test func `A port can be added to another thread's run loop, and is heard there`() {
        final class Loop: @unchecked Sendable { var loop: RunLoop? }
        let (port, holder, found) = (ThreadPort(), Loop(), Gate())
        let stop = Atomic<Bool>(false)
        let log = Log<String>()
        let thread = Thread {
            ThreadName.current = "looping"
            holder.loop = RunLoop.current
            found.open()
            while !stop.load(ordering: .acquiring) {
                runLoopOnce()
                sched_yield()
            }
        }
        thread.start()
        found.wait()
        let listener = PortListener { log.add("\($0.msgid) on \(threadName)") }
        port.setDelegate(listener)
        defer { withExtendedLifetime(listener) {} }
        try? port.send(id: 1)
        holder.loop?.add(port, forMode: .default)
        #expect(log.wait(for: 1) == ["1 on looping"])
        holder.loop?.remove(port, forMode: .default)
        try? port.send(id: 2)
        // The port is scheduled without the loop's knowledge, as tests of Foundation's own ports
        // do.
        holder.loop.map { port.schedule(in: $0, forMode: .default) }
        #expect(log.wait(for: 2) == ["1 on looping", "2 on looping"])
        stop.store(true, ordering: .releasing)
        while port.isValid { sched_yield() }
    }

    // MARK: - Ends

    @Test func `Invalidation is posted once, on Foundation's center and on ours, from any thread`()
    {
        let port = ThreadPort()
        let log = Log<String>()
        let name = Port.didBecomeInvalidNotification
        let ours = Switchyard.NotificationCenter.default.observe(name, of: port) { [port] note in
            log.add("ours \(note.object as? ThreadPort === port) \(port.isValid)")
        }
        let foundation = Foundation.NotificationCenter.default
        let theirs = foundation.addObserver(forName: name, object: port, queue: nil) { _ in
            log.add("Foundation's")
        }
        let gate = Gate()
        let ended = Log<Int>()
        for number in 0..<8 {
            let thread = Thread {
                gate.wait()
                port.invalidate()
                ended.add(number)
            }
            thread.start()
        }
        gate.open()
        ended.wait(for: 8)
        port.invalidate()
        #expect(log.entries.sorted() == ["Foundation's", "ours true false"])
        foundation.removeObserver(theirs)
        ours.cancel()
    }

    @Test func `An invalid port takes nothing, is added to no loop, and lets its messages go`() {
        onThread { [past] in
            let log = Log<Bool>()
            let port = ThreadPort()
            RunLoop.current.add(port, forMode: .default)
            weak var sent: NSObject?
            do {
                let object = NSObject()
                sent = object
                let components = NSMutableArray(array: [object])
                log.add(port.send(before: past, components: components, from: nil, reserved: 0))
            }
            #expect(sent != nil)
            port.invalidate()
            #expect(sent == nil)
            log.add(port.send(before: past, components: nil, from: nil, reserved: 0))
            #expect(log.entries == [true, false])
            let error = #expect(throws: ThreadPort.SendError.self) { try port.send() }
            #expect(error?.code == .invalid)
            RunLoop.current.add(port, forMode: .default)
            #expect(!runLoopOnce())
        }
    }

    @Test func `A delegate that invalidates its port hears no more`() {
        let log = Log<UInt32>()
        onThread {
            let port = ThreadPort()
            let listener = PortListener { [unowned port] message in
                log.add(message.msgid)
                if message.msgid == 2 { port.invalidate() }
            }
            port.setDelegate(listener)
            defer { withExtendedLifetime(listener) {} }
            RunLoop.current.add(port, forMode: .default)
            for id in 1...4 { try? port.send(id: UInt32(id)) }
            runLoop { false }
        }
        #expect(log.entries == [1, 2])
    }

    @Test(.rule(29))
    func `A port ends with the thread of its last run loop, and waiting messages are reported`() {
        let problems = Log<String>()
        let (port, other) = (ThreadPort(), ThreadPort())
        let told = Gate()
        DefaultProblems.hear { problem in
            guard problem.description.contains("short-lived") else { return }
            problems.add(problem.description)
            // A message that is sent meanwhile is refused, so that its sender knows.
            #expect(throws: ThreadPort.SendError.self) { try port.send() }
            told.open()
        } while: {
            onThread("short-lived") {
                for port in [port, other] { RunLoop.current.add(port, forMode: .common) }
                RunLoop.current.add(port, forMode: .default)
                // The other port leaves the loop in time.
                RunLoop.current.remove(other, forMode: .common)
                for _ in 1...3 { try? port.send() }
            }
            told.wait()
        }
        #expect(throws: ThreadPort.SendError.self) { try port.send() }
        #expect(other.isValid)
        #expect(
            problems.entries == [
                "thread short-lived ended with 3 messages waiting in a port, which will not "
                    + "be delivered"
            ])
    }

    @Test(
        .rule(29), .disabled(if: isThreadSanitized, "it does not bear that a thread ends twice"))
    func `Each port of a thread ends with it, although a hook ends the thread once more`() {
        let (ports, told) = ([ThreadPort(), ThreadPort()], Log<String>())
        DefaultProblems.hear { problem in
            guard problem.description.contains("ends-twice") else { return }
            told.add(problem.description)
            Thread.exit()
        } while: {
            onThread("ends-twice") {
                for port in ports {
                    RunLoop.current.add(port, forMode: .default)
                    try? port.send()
                }
            }
            told.wait(for: 2)
        }
        #expect(ports.allSatisfy { !$0.isValid })
    }

    @Test
    func `A port is kept by its run loops alone, and posts that it became invalid when it goes`() {
        let log = Log<String>()
        onThread {
            weak var gone: ThreadPort?
            var token: Switchyard.NotificationCenter.ObservationToken?
            do {
                let port = ThreadPort()
                gone = port
                token = Switchyard.NotificationCenter.default.observe(
                    Port.didBecomeInvalidNotification, of: port
                ) { note in log.add("\(note.object is ThreadPort)") }
                RunLoop.current.add(port, forMode: .default)
                RunLoop.current.add(port, forMode: .common)
                // The port's own messages do not keep it.
                try? port.send(replyTo: port)
            }
            #expect(gone != nil)
            gone.map { RunLoop.current.remove($0, forMode: .default) }
            #expect(gone != nil)
            gone.map { RunLoop.current.remove($0, forMode: .common) }
            #expect(gone == nil)
            token?.cancel()
        }
        #expect(log.entries == ["true"])
    }

    @Test func `A port copies to itself, equals itself alone, and reserves no space`() {
        let (port, other) = (ThreadPort(), ThreadPort(capacity: 3))
        #expect(port.copy() as? ThreadPort === port)
        #expect(port == port && port != other)
        #expect(port.hash == port.hash)
        #expect(Set([port, other, port]).count == 2)
        #expect(port.isValid && other.isValid)
        #expect(port.reservedSpaceLength == 0)
        port.invalidate()
        #expect(!port.isValid && other.isValid)
        #expect(port == port && port != other)
    }

    @Test(.rule(29)) func `A port that nothing keeps any more reports the messages that waited`() {
        let problems = Log<String>()
        let text = "the last reference to a port went with 7 messages waiting in a port"
        DefaultProblems.hear { problem in
            if problem.description.hasPrefix(text) { problems.add(problem.description) }
        } while: {
            let port = ThreadPort()
            for _ in 0..<7 { try? port.send() }
        }
        #expect(problems.entries.count == 1)
    }
}

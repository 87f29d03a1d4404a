// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Synchronization
import TestSupport
import Testing

@testable import Switchyard

/// Messages through a port: their contents, their thread and their order.
@Suite("Ports", .timeLimit(.minutes(5))) struct PortTests {
    let soon = Date(timeIntervalSinceNow: 60)
    let past = Date(timeIntervalSinceNow: -1)

    // MARK: - Contents

    @Test func `A message arrives on the run loop's thread, with its id, components and ports`() {
        let mine = ThreadPort()
        let receiver = PortThread("receiver") { message, log in
            let text = message.data?.map { String(decoding: $0, as: UTF8.self) } ?? []
            let ports = message.sendPort === mine && message.receivePort is ThreadPort
            log.add("\(message.msgid) \(text) \(ports) on \(threadName)")
        }
        let sent = receiver.port.send(
            before: past, msgid: 1212,
            components: NSMutableArray(array: [Data("check".utf8), Data("in".utf8)]), from: mine,
            reserved: 0)
        #expect(sent)
        #expect(receiver.log.wait(for: 1) == [#"1212 ["check", "in"] true on receiver"#])
        receiver.stop()
    }

    @Test func `The port that received is the receivePort, and sendPort the one to reply to`()
        throws
    {
        let replies = PortThread("asker") { message, log in
            log.add("\(message.msgid) \(message.sendPort == nil) on \(threadName)")
        }
        let asked = PortThread("answerer") { message, log in
            log.add(message.receivePort?.isValid == true ? "asked" : "asked through nothing")
            let answer = PortMessage(sendPort: message.sendPort, receivePort: nil, components: [])
            answer.msgid = message.msgid + 1
            log.add("\(answer.send(before: Date()))")
        }
        try asked.port.send(id: 41, replyTo: replies.port)
        #expect(asked.log.wait(for: 2) == ["asked", "true"])
        #expect(replies.log.wait(for: 1) == ["42 true on asker"])
        asked.stop()
        replies.stop()
    }

    @Test func `A message without an id arrives with 0, and 32 bits of a large id arrive`() {
        let receiver = PortThread { message, log in log.add("\(message.msgid)") }
        let port = receiver.port
        #expect(port.send(before: past, components: nil, from: nil, reserved: 0))
        for id in [7, -1, 1 << 32 + 5] {
            #expect(
                port.send(before: past, msgid: id, components: nil, from: nil, reserved: 0))
        }
        #expect(receiver.log.wait(for: 4) == ["0", "7", "\(UInt32.max)", "5"])
        receiver.stop()
    }

    @Test func `Data of any length arrives whole: 0, 1, 11, 12 bytes, and 8 MB`() throws {
        let sizes = [0, 1, 11, 12, 13, 65_536, 8_000_000]
        let receiver = PortThread { message, log in
            let isWhole = message.data?.allSatisfy { $0 == Data(repeating: 171, count: $0.count) }
            log.add("\(message.data?.map(\.count) ?? []) \(isWhole == true)")
        }
        for size in sizes {
            let data = Data(repeating: 171, count: size)
            #expect(
                receiver.port.send(
                    before: past, components: NSMutableArray(array: [data]), from: nil, reserved: 0)
            )
            if size < 100 { try receiver.port.send(components: [data, data]) }
        }
        let small = sizes.filter { $0 < 100 }.flatMap { ["[\($0)] true", "[\($0), \($0)] true"] }
        let expected = small + sizes.filter { $0 > 100 }.map { "[\($0)] true" }
        #expect(receiver.log.wait(for: expected.count) == expected)
        receiver.stop()
    }

    @Test func `Nil components arrive as nil, none as none, ports and other objects as themselves`()
    {
        let inner = ThreadPort()
        let object = NSObject()
        nonisolated(unsafe) let same = object
        let receiver = PortThread { message, log in
            guard let components = message.components else { return log.add("nil") }
            let found = components.map { component -> String in
                if component === inner { return "port" }
                if component === same { return "object" }
                return (component as? Data).map { "\($0.count) bytes" } ?? "\(component)"
            }
            log.add("\(found)")
        }
        let port = receiver.port
        for components in [nil, [], [inner, object, Data(count: 3), "text", inner]] as [[Any]?] {
            #expect(
                port.send(
                    before: past, components: components.map { NSMutableArray(array: $0) },
                    from: nil, reserved: 0))
        }
        #expect(
            receiver.log.wait(for: 3) == [
                "nil", "[]", #"["port", "object", "3 bytes", "text", "port"]"#,
            ])
        receiver.stop()
    }

    @Test func `Mutable arrays, strings and dictionaries arrive as themselves`() {
        onThread { [past] in
            let sent: [NSObject] = [
                NSMutableArray(array: [1]), NSMutableString(string: "a"), NSMutableDictionary(),
                NSNumber(value: 1), NSObject(),
            ]
            let log = Log<Bool>()
            let listener = PortListener { message in
                for (found, object) in zip(message.components ?? [], sent) {
                    log.add(found === object)
                }
            }
            let port = ThreadPort()
            port.setDelegate(listener)
            RunLoop.current.add(port, forMode: .default)
            let components = NSMutableArray()
            for object in sent { components.add(object) }
            #expect(port.send(before: past, components: components, from: nil, reserved: 0))
            runLoopOnce()
            #expect(log.entries == [true, true, true, true, true])
            withExtendedLifetime(listener) { port.invalidate() }
        }
    }

    @Test func `A port that came in a message can be sent to`() throws {
        let last = PortThread("last") { message, log in log.add("\(message.msgid)") }
        let receiver = PortThread { message, log in
            guard let port = message.components?.first as? ThreadPort else { return }
            log.add("\((try? port.send(id: 5)) != nil)")
        }
        try receiver.port.send(components: [last.port])
        #expect(receiver.log.wait(for: 1) == ["true"])
        #expect(last.log.wait(for: 1) == ["5"])
        receiver.stop()
        last.stop()
    }

    @Test func `A message arrives as it was when it was sent`() throws {
        onThread {
            let log = Log<String>()
            let listener = PortListener { message in log.add("\(message.data ?? [])") }
            let port = ThreadPort()
            port.setDelegate(listener)
            defer { withExtendedLifetime(listener) {} }
            RunLoop.current.add(port, forMode: .default)
            let data = NSMutableData(bytes: [1, 2, 3] as [UInt8], length: 3)
            let components = NSMutableArray(array: [data])
            _ = port.send(before: Date(), components: components, from: nil, reserved: 0)
            components.add(Data(count: 9))
            data.length = 1
            runLoopOnce()
            #expect(log.entries == ["[3 bytes]"])
            port.invalidate()
        }
    }

    // MARK: - Order

    @Test(.rule(8)) func `Bursts from many threads all arrive, those of each thread in order`() {
        let (senders, each) = (8, 5_000)
        let progress = Progress(senders: senders, total: senders * each)
        let receiver = PortThread { message, _ in progress.receive(message) }
        for sender in 0..<senders {
            let thread = Thread {
                for number in 0..<each {
                    let data = Data(repeating: UInt8(sender), count: number % 12)
                    _ = try? receiver.port.send(
                        id: UInt32(sender << 24 | number), components: [data])
                }
            }
            thread.start()
        }
        #expect(progress.done.wait())
        #expect(progress.complaint == nil)
        receiver.stop()
    }

    /// Checks that each sender's messages come whole, and in order.
    final class Progress: @unchecked Sendable {
        // Sendable: used by the receiving thread alone until `done`.
        private var next: [Int]
        private var left: Int
        private(set) var complaint: String?
        let done = Gate()

        init(senders: Int, total: Int) {
            next = Array(repeating: 0, count: senders)
            left = total
        }

        func receive(_ message: PortMessage) {
            let (sender, number) = (Int(message.msgid >> 24), Int(message.msgid & 0xFF_FFFF))
            let data = Data(repeating: UInt8(sender), count: number % 12)
            if number != next[sender] || message.data != [data] {
                complaint = complaint ?? "of \(sender) came \(number), not \(next[sender])"
            }
            next[sender] = number + 1
            left -= 1
            if left == 0 { done.open() }
        }
    }

    @Test func `128 ports on one run loop each hear their own`() throws {
        let log = Log<Int>()
        onThread {
            var listeners: [PortListener] = []
            let ports = (0..<128).map { number in
                let port = ThreadPort()
                listeners.append(PortListener { _ in log.add(number) })
                port.setDelegate(listeners.last)
                RunLoop.current.add(port, forMode: .default)
                return port
            }
            onThread { for port in ports { try? port.send() } }
            runLoop { log.entries.count == ports.count }
            for port in ports { port.invalidate() }
            #expect(!runLoopOnce(), "a loop without ports has nothing to run for")
            withExtendedLifetime(listeners) {}
        }
        #expect(log.entries.sorted() == Array(0..<128))
    }

    @Test func `A message that a delegate sends to its own port arrives in the next turn`() {
        let log = Log<String>()
        onThread {
            let port = ThreadPort()
            let listener = PortListener { [unowned port] message in
                log.add("\(message.msgid)")
                if message.msgid < 4 { try? port.send(id: message.msgid + 2, replyTo: port) }
            }
            port.setDelegate(listener)
            defer { withExtendedLifetime(listener) {} }
            RunLoop.current.add(port, forMode: .default)
            try? port.send(id: 1)
            try? port.send(id: 2)
            for turn in 1...3 {
                log.add("turn \(turn)")
                runLoopOnce()
            }
            port.invalidate()
        }
        #expect(log.entries == ["turn 1", "1", "2", "turn 2", "3", "4", "turn 3", "5"])
    }

    @Test(.rule(23)) func `Messages that make messages let the loop's timers through`() {
        let fired = Log<Int>()
        onThread {
            let port = ThreadPort()
            let listener = PortListener { [unowned port] _ in try? port.send() }
            port.setDelegate(listener)
            defer { withExtendedLifetime(listener) {} }
            RunLoop.current.add(port, forMode: .default)
            let timer = Timer(fire: Date(), interval: 0.01, repeats: true) { _ in fired.add(1) }
            RunLoop.current.add(timer, forMode: .default)
            try? port.send()
            runLoop { fired.entries.count >= 3 }
            timer.invalidate()
            port.invalidate()
        }
        #expect(fired.entries.count >= 3)
    }

    @Test(.rule(22))
    func `A run loop inside a delegate goes on with the waiting messages, in order`() {
        let log = Log<String>()
        onThread {
            let port = ThreadPort()
            let listener = PortListener { [unowned port] message in
                log.add("begin \(message.msgid)")
                if message.msgid == 0 {
                    // The message is for the loop around this one, and must not come in this turn.
                    runLoop { log.entries.count == 5 }
                    try? port.send(id: 9)
                }
                log.add("end \(message.msgid)")
            }
            port.setDelegate(listener)
            defer { withExtendedLifetime(listener) {} }
            RunLoop.current.add(port, forMode: .default)
            for id in 0...2 { try? port.send(id: UInt32(id)) }
            runLoopOnce()
            log.add("turn")
            runLoop { log.entries.count == 9 }
            port.invalidate()
        }
        #expect(
            log.entries == [
                "begin 0", "begin 1", "end 1", "begin 2", "end 2", "end 0", "turn", "begin 9",
                "end 9",
            ])
    }

    // MARK: - Room

    @Test func `A full port refuses a message at once that may not wait, and says so`() throws {
        let port = ThreadPort(capacity: 2)
        try port.send()
        try port.send(before: past)
        #expect(!port.send(before: past, components: nil, from: nil, reserved: 0))
        let error = #expect(throws: ThreadPort.SendError.self) { try port.send(before: past) }
        #expect(error?.code == .full)
        #expect(
            !port.send(
                before: Date(timeIntervalSinceNow: 0.01), components: nil, from: nil, reserved: 0))
    }

    @Test func `A send to a full port waits for room, and those that wait keep their order`() {
        let log = Log<String>()
        let sent = Log<String>()
        onThread {
            let port = ThreadPort(capacity: 2)
            let listener = PortListener { log.add("\($0.msgid)") }
            port.setDelegate(listener)
            defer { withExtendedLifetime(listener) {} }
            RunLoop.current.add(port, forMode: .default)
            let thread = Thread { [soon] in
                for id in 0..<100 {
                    let isSent = port.send(
                        before: soon, msgid: id, components: nil, from: nil, reserved: 0)
                    sent.add("\(id) \(isSent)")
                }
            }
            thread.start()
            sent.wait(for: 2)
            runLoop { log.entries.count == 100 }
            port.invalidate()
        }
        #expect(log.entries == (0..<100).map { "\($0)" })
        #expect(sent.wait(for: 100) == (0..<100).map { "\($0) true" })
    }

    @Test func `A send that would wait for its own thread fails instead`() {
        onThread { [soon] in
            let port = ThreadPort(capacity: 1)
            RunLoop.current.add(port, forMode: .default)
            try? port.send()
            let error = #expect(throws: ThreadPort.SendError.self) {
                try port.send(before: soon)
            }
            #expect(error?.code == .ownThread)
            port.invalidate()
        }
    }

    @Test func `A delegate that would wait for its own turn fails instead`() {
        // Another loop has the port as well, and takes nothing while this one has the turn.
        let (port, other, added) = (ThreadPort(capacity: 1), DeliveryThread(name: "other"), Gate())
        other.perform {
            RunLoop.current.add(port, forMode: RunLoop.Mode("another"))
            added.open()
        }
        added.wait()
        let kinds = Log<ThreadPort.SendError.Code?>()
        onThread { [soon] in
            let listener = PortListener { _ in
                // The port is full from here on.
                onThread("sender") { try? port.send() }
                for isScheduled in [true, false] {
                    if !isScheduled { RunLoop.current.remove(port, forMode: .default) }
                    do {
                        try port.send(before: soon)
                        kinds.add(nil)
                    } catch {
                        kinds.add((error as? ThreadPort.SendError)?.code)
                    }
                }
            }
            RunLoop.current.add(port, forMode: .default)
            port.setDelegate(listener)
            try? port.send()
            runLoop { kinds.entries.count == 2 }
            withExtendedLifetime(listener) {}
        }
        #expect(kinds.entries == [.ownThread, .ownThread])
        port.invalidate()
        other.stop()
        other.join()
    }

    @Test func `A mode that is added from another thread wakes the loop for waiting messages`() {
        let (port, worker, log) = (ThreadPort(), DeliveryThread(name: "worker"), Log<Int>())
        let holder = PortHolder()
        worker.perform {
            RunLoop.current.add(port, forMode: RunLoop.Mode("another"))
            holder.loop = RunLoop.current
            holder.listener = PortListener { _ in log.add(1) }
            port.setDelegate(holder.listener)
            holder.isReady.open()
        }
        holder.isReady.wait()
        try? port.send()
        holder.loop?.add(port, forMode: .default)
        #expect(log.wait(for: 1) == [1])
        port.invalidate()
        worker.stop()
        worker.join()
    }

    /// The loop and the delegate of another thread.
    private final class PortHolder: @unchecked Sendable {
        // Sendable: set before the gate opens.
        var loop: RunLoop?
        var listener: PortListener?
        let isReady = Gate()
    }

    @Test func `A send from the loop's own thread fails also before the loop knows of the port`() {
        final class Loop: @unchecked Sendable { var loop: RunLoop? }
        let (holder, found, added) = (Loop(), Gate(), Gate())
        let port = ThreadPort(capacity: 1)
        let kinds = Log<ThreadPort.SendError.Code?>()
        let thread = Thread { [soon] in
            holder.loop = RunLoop.current
            found.open()
            added.wait()
            try? port.send()
            do {
                try port.send(before: soon)
                kinds.add(nil)
            } catch {
                kinds.add((error as? ThreadPort.SendError)?.code)
            }
        }
        thread.start()
        found.wait()
        holder.loop?.add(port, forMode: .default)
        added.open()
        #expect(kinds.wait(for: 1) == [.ownThread])
        port.invalidate()
    }

    @Test func `A send that waits for room fails when the port is invalidated`() {
        let port = ThreadPort(capacity: 1)
        let log = Log<String>()
        #expect(throws: Never.self) { try port.send() }
        let thread = Thread { [soon] in
            log.add("sending")
            do throws(ThreadPort.SendError) {
                try port.send(before: soon)
            } catch {
                log.add(error.code.description)
            }
        }
        thread.start()
        log.wait(for: 1)
        while port.state.withLock({ $0.senders.isEmpty }) { sched_yield() }
        port.invalidate()
        #expect(log.wait(for: 2) == ["sending", "invalid"])
    }

    @Test func `A port has room for one message at least`() async {
        await #expect(processExitsWith: .failure) { _ = ThreadPort(capacity: 0) }
    }
}

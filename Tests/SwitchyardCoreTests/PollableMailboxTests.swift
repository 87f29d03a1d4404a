// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwitchyardCore
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("Mailboxes to poll") struct PollableMailboxTests {
    let center = MessageCenter()

    private func isReadable(_ mail: PollableMailbox) -> Bool {
        var entry = pollfd(fd: mail.fileDescriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) == 1
    }

    @Test(.rule(22)) func `A handler may wait for its own mailbox, for present and future mail`()
        throws
    {
        let mail = try PollableMailbox(label: "nested")
        let (center, log) = (MessageCenter(), Log<Int>())
        let token = center.observe(Ping.self, on: .mailbox(mail)) { ping in
            log.add(ping.number)
            guard ping.number == 0 else { return }
            #expect(mail.waitAndDrain(timeout: .seconds(240)))
            #expect(log.entries == [0, 1, 2])
            onThreads(2) { index in
                if index == 0 { center.post(Ping(number: 3)) }
            }
            #expect(mail.waitAndDrain(timeout: .seconds(240)))
            log.add(-1)
        }
        for number in 0...2 { center.post(Ping(number: number)) }
        mail.drain()
        #expect(log.entries == [0, 1, 2, 3, -1])
        token.cancel()
    }

    @Test func `A mailbox goes on when a handler ends the thread that drains it`() throws {
        let mail = try PollableMailbox(label: "ended")
        let (center, log) = (center, Log<Int>())
        let token = center.observe(Ping.self, on: .mailbox(mail)) { ping in
            log.add(ping.number)
            if ping.number == 1 { endThisThread() }
        }
        for number in 1...2 { center.post(Ping(number: number)) }
        onThreads(1) { _ in mail.drain() }
        #expect(log.entries == [1])
        #expect(isReadable(mail), "the second delivery waits")
        mail.drain()
        center.post(Ping(number: 3))
        #expect(isReadable(mail))
        mail.drain()
        #expect(log.entries == [1, 2, 3])
        token.cancel()
    }

    @Test func `The descriptor is readable when something waits, and not after the drain`() throws {
        let mail = try PollableMailbox(label: "loop")
        let log = Log<Int>()
        let token = center.observe(Ping.self, on: .mailbox(mail)) { log.add($0.number) }
        #expect(!isReadable(mail))
        center.post(Ping(number: 1))
        center.post(Ping(number: 2))
        #expect(isReadable(mail))
        #expect(mail.depth == 2)
        mail.drain()
        #expect(log.entries == [1, 2])
        #expect(!isReadable(mail))
        token.cancel()
    }

    @Test func `A forked child does not take its parent's wake-up`() async {
        await #expect(processExitsWith: .exitCode(0)) { exit(try Self.hearsDespiteChild() ? 0 : 1) }
    }

    private static func hearsDespiteChild() throws -> Bool {
        typealias Fork = @convention(c) () -> Int32
        guard let symbol = dlsym(nil, "fork") else { return false }
        // Unsafe: Swift does not offer the function, whose type this is.
        let fork = unsafeBitCast(symbol, to: Fork.self)
        let mail = try PollableMailbox(label: "shared")
        let (center, log) = (MessageCenter(), Log<Int>())
        let token = center.observe(Ping.self, on: .mailbox(mail)) { log.add($0.number) }
        center.post(Ping(number: 1))
        let child = fork()
        if child == 0 {
            mail.drain()
            _exit(0)
        }
        var status: Int32 = 0
        waitpid(child, &status, 0)
        let isThere = mail.waitAndDrain(timeout: .seconds(1))
        token.cancel()
        return isThere && log.entries == [1]
    }

    @Test func `A time limit that is too long for the system is a long one`() throws {
        let mail = try PollableMailbox(label: "patient")
        let (center, log) = (MessageCenter(), Log<Int>())
        let token = center.observe(Ping.self, on: .mailbox(mail)) { log.add($0.number) }
        // The first limit has more milliseconds than 64 bits count; the second overflows to zero.
        for (number, seconds) in [Int64.max, 1 << 61].enumerated() {
            onThreads(2) { index in
                if index == 1 { return center.post(Ping(number: number)) }
                #expect(mail.waitAndDrain(timeout: .seconds(seconds)))
            }
        }
        #expect(log.entries == [0, 1])
        token.cancel()
    }

    @Test(.rule(8)) func `A bare thread hears what others post, in order`() throws {
        let mail = try PollableMailbox(label: "bare")
        let log = Log<Int>()
        let token = center.observe(Ping.self, on: .mailbox(mail)) { log.add($0.number) }
        onThreads(2) { [center] thread in
            if thread == 0 {
                while log.entries.count < 1000 { mail.waitAndDrain(timeout: .seconds(10)) }
            } else {
                for number in 0..<1000 { center.post(Ping(number: number)) }
            }
        }
        #expect(log.entries == Array(0..<1000))
        token.cancel()
    }

    @Test func `A post by a handler to its own mailbox makes the descriptor readable again`()
        throws
    {
        let mail = try PollableMailbox(label: "loop")
        let token = center.observe(Ping.self, on: .mailbox(mail)) { [center] ping in
            if ping.number == 0 { center.post(Ping(number: 1)) }
        }
        center.post(Ping(number: 0))
        mail.drain()
        #expect(isReadable(mail))
        #expect(mail.waitAndDrain(timeout: .zero))
        #expect(!mail.waitAndDrain(timeout: .zero))
        token.cancel()
    }

    @Test(.rule(29)) func `A mailbox that goes is closed: later posts say so`() throws {
        var mail: PollableMailbox? = try PollableMailbox(label: "loop")
        let token = try center.observe(Ping.self, on: .mailbox(#require(mail))) { _ in }
        mail = nil
        #expect(center.postAndReport(Ping()).undeliverable == 1)
        token.cancel()
    }
}

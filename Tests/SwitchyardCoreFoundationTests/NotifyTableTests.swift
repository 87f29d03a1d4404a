// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import TestSupport
import Testing

@testable import SwitchyardCoreFoundation

/// The posts and states that registrations see, also of other processes.
@Suite("Darwin notifications", .timeLimit(.minutes(5)))
struct NotifyTableTests {
    private let world = NotifyWorld()

    @Test func `A check is true the first time, and after posts of any process`() throws {
        let (one, other) = (world.table(), world.table())
        let name = try notifyName("org.example.added")
        let token = try one.register(name, .none)
        #expect(try one.check(token))
        #expect(try !one.check(token))
        try other.post(name)
        try one.post(name)
        #expect(try one.check(token))
        #expect(try !one.check(token))
        try other.post(notifyName("org.example.removed"))
        #expect(try !one.check(token))
    }

    @Test func `A state is shared, and lasts as long as registrations for its name`() throws {
        let (one, other) = (world.table(), world.table())
        let name = try notifyName("state")
        let token = try one.register(name, .none)
        #expect(try one.getState(token) == 0)
        try one.setState(token, .max)
        let others = try other.register(name, .none)
        #expect(try other.getState(others) == .max)
        try one.cancel(token)
        try other.setState(others, 3)
        let again = try one.register(name, .none)
        #expect(try one.getState(again) == 3)
        #expect(try world.files == ["state"])
        try one.cancel(again)
        try other.cancel(others)
        #expect(try world.files.isEmpty)
        let last = try one.register(name, .none)
        #expect(try one.getState(last) == 0)
    }

    @Test func `A file that a killed process left is begun anew`() throws {
        let name = try notifyName("left")
        do {
            // A table that goes without cancelling gives its locks back, as a process does.
            let table = world.table()
            try table.setState(table.register(name, .none), 7)
        }
        #expect(try world.files == ["left"])
        let table = world.table()
        let token = try table.register(name, .none)
        #expect(try table.getState(token) == 0)
        try Data().write(to: URL(fileURLWithPath: world.file("empty")))
        let other = try table.register(notifyName("empty"), .none)
        #expect(try table.getState(other) == 0)
    }

    @Test func `Handlers hear posts of every process`() async throws {
        let (one, other) = (world.table(), world.table())
        let name = try notifyName("heard")
        let calls = NotifyCalls()
        let token = try one.register(name, calls.delivery())
        try other.post(name)
        #expect(await calls.log.arrival(of: 1) == [token])
        try one.post(name)
        #expect(await calls.log.arrival(of: 2) == [token, token])
    }

    @Test func `The last of many posts is never lost`() async throws {
        let (one, other) = (world.table(), world.table())
        let name = try notifyName("many")
        let (calls, states) = (NotifyCalls(), Log<UInt64>())
        _ = try one.register(
            name, calls.delivery { token in states.add((try? one.getState(token)) ?? 0) })
        let others = try other.register(name, .none)
        for number in 1...1_000 {
            try other.setState(others, UInt64(number))
            try other.post(name)
        }
        #expect(await until { states.entries.last == 1_000 })
        #expect(calls.log.entries.count <= 1_000)
    }

    @Test func `Different names are heard in the order of their posts`() async throws {
        let (one, other) = (world.table(), world.table())
        let calls = NotifyCalls()
        let names = try (0..<20).map { try notifyName("order \($0)") }
        let tokens = try names.map { try one.register($0, calls.delivery()) }
        for name in names { try other.post(name) }
        #expect(await calls.log.arrival(of: names.count) == tokens)
    }

    @Test func `No handler starts after the registration was cancelled`() async throws {
        let table = world.table()
        let name = try notifyName("cancelled")
        let (calls, later) = (NotifyCalls(), NotifyCalls())
        let token = try table.register(
            name, calls.delivery { token in try? table.cancel(token) })
        let witness = try table.register(name, later.delivery())
        try table.post(name)
        await later.log.arrival(of: 1)
        await calls.log.arrival(of: 1)
        try table.post(name)
        #expect(await later.log.arrival(of: 2) == [witness, witness])
        #expect(calls.log.entries == [token])
        #expect(!table.isValid(token))
        #expect(throws: NotifyError.invalidToken) { try table.cancel(token) }
        #expect(throws: NotifyError.invalidToken) { _ = try table.check(token) }
    }

    @Test func `A handler's end may cancel and register`() async throws {
        let table = world.table()
        let other = try table.register(notifyName("other"), .none)
        let name = try notifyName("ended")
        let again = Log<Int32>()
        let token = try table.register(
            name,
            .handler(
                atEnd: {
                    try? table.cancel(other)
                    if let new = try? table.register(name, .none) { again.add(new) }
                }))
        // The call is not made on a thread of the pool, which would be lost if the call waited for
        // itself.
        Thread { try? table.cancel(token) }.start()
        let tokens = await again.arrival(of: 1)
        try #require(tokens.count == 1)
        #expect(table.isValid(tokens[0]))
        #expect(!table.isValid(other))
    }

    @Test func `Suspended registrations hear once, when they are resumed`() async throws {
        let table = world.table()
        let name = try notifyName("suspended")
        let (calls, witness) = (NotifyCalls(), NotifyCalls())
        let token = try table.register(name, calls.delivery())
        _ = try table.register(name, witness.delivery())
        try table.suspend(token)
        for count in 1...2 {
            try table.post(name)
            await witness.log.arrival(of: count)
        }
        #expect(calls.log.entries.isEmpty)
        try table.resume(token)
        #expect(await calls.log.arrival(of: 1) == [token])
        try table.post(name)
        #expect(await calls.log.arrival(of: 2) == [token, token])
    }

    @Test func `A descriptor gets the tokens of all registrations that share it`() throws {
        let table = world.table()
        let pipe = try NotifyPipe()
        let one = try table.register(notifyName("one"), .pipe(pipe))
        let found = try table.pipe(readEnd: pipe.readEnd)
        let two = try table.register(notifyName("two"), .pipe(found))
        func read() -> Int32 {
            var token: Int32 = 0
            #expect(Glibc.read(pipe.readEnd, &token, 4) == 4)
            return Int32(bigEndian: token)
        }
        try table.post(notifyName("two"))
        #expect(read() == two)
        try table.post(notifyName("one"))
        #expect(read() == one)
        #expect(throws: NotifyError.invalidFile) { _ = try table.pipe(readEnd: 0) }
        try table.cancel(one)
        #expect(try table.pipe(readEnd: pipe.readEnd) === pipe)
        try table.cancel(two)
        #expect(throws: NotifyError.invalidFile) { _ = try table.pipe(readEnd: pipe.readEnd) }
    }

    @Test func `A descriptor that its program closed, or never reads, harms nobody`() throws {
        let table = world.table()
        let name = try notifyName("self.closed")
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        let (closed, full) = (try NotifyPipe(), try NotifyPipe())
        // Another file takes the place of the pipe's end, so that nothing else can.
        dup2(ends[0], closed.readEnd)
        _ = try table.register(name, .pipe(closed))
        let token = try table.register(name, .pipe(full))
        // The command is F_GETPIPE_SZ, which Swift's Glibc module lacks.
        let size = Int(fcntl(full.readEnd, 1032))
        var tokens = [Int32](repeating: 0, count: size / 4 + 1_000)
        for _ in tokens { try table.post(name) }
        let count = read(full.readEnd, &tokens, 4 * tokens.count)
        #expect(count == size)
        #expect(tokens.prefix(count / 4).allSatisfy { Int32(bigEndian: $0) == token })
        close(ends[0])
        close(ends[1])
    }

    @Test func `Names of this process alone have no file, and are heard here`() async throws {
        let (one, other) = (world.table(), world.table())
        let name = try notifyName("self.own")
        let calls = NotifyCalls()
        let token = try one.register(name, calls.delivery())
        let others = try other.register(name, .none)
        #expect(try other.check(others))
        try one.setState(token, 5)
        try one.post(name)
        #expect(await calls.log.arrival(of: 1) == [token])
        #expect(try !other.check(others))
        #expect(try other.getState(others) == 0)
        #expect(!FileManager.default.fileExists(atPath: world.path))
    }
}

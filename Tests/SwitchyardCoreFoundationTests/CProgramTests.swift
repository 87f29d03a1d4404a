// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import TestSupport
import Testing

/// A program in C that links the module: alone, and with another.
@Suite("A program in C", .timeLimit(.minutes(5)))
struct CProgramTests {
    private let world = NotifyWorld()

    private func program() throws -> CProgram { try CProgram(in: world.path) }

    @Test func `The local center calls observers on the posting thread`() async throws {
        let program = try program()
        _ = try await program.ask("local", "local ends")
        #expect(
            program.output.entries.filter { $0.hasPrefix("local heard") } == [
                "local heard added 2 first elsewhere", "local heard added 1 second elsewhere",
                "local heard added 1 second elsewhere", "local heard added - - elsewhere",
            ])
    }

    @Test func `The distributed center reaches the main run loop of another process`() async throws
    {
        let (one, other) = (try program(), try program())
        let start = one.output.entries.count
        _ = try await one.ask("observe distributed added object", "observing")
        // The loop posts until the other process knows of the observer.
        #expect(
            await until {
                _ = try? await other.ask("post distributed added RTF", "posted")
                return one.output.entries.contains { $0.hasPrefix("distributed heard") }
            })
        #expect(
            await one.line("distributed heard ", after: start) == "added object RTF main")
    }

    @Test func `The Darwin center reaches the main run loop of another process`() async throws {
        let (one, other) = (try program(), try program())
        _ = try await one.ask("observe darwin org.example.added", "observing")
        _ = try await other.ask("post darwin org.example.added ignored", "posted")
        #expect(await one.line("darwin heard ") == "org.example.added - - main")
        let start = one.output.entries.count
        _ = try await other.ask("notify org.example.added", "notified")
        #expect(await one.line("darwin heard ", after: start) == "org.example.added - - main")
    }

    @Test func `Every kind of registration hears another process`() async throws {
        let (one, other) = (try program(), try program())
        let descriptor = try await one.register("descriptor", "a")
        let shared = try await one.register("descriptor", "b")
        let handler = try await one.register("dispatch", "a")
        let signal = try await one.register("signal", "a")
        #expect(try await one.ask("check \(signal)", "check 0 ") == "1 0")
        _ = try await other.ask("notify a", "notified")
        #expect(await one.line("descriptor heard ") == descriptor)
        #expect(await one.line("handler heard ") == handler)
        #expect(await until { (try? await one.ask("signals", "signals ")) == "yes" })
        #expect(try await one.ask("check \(signal)", "check 0 ") == "1 0")
        let start = one.output.entries.count
        _ = try await other.ask("notify b", "notified")
        #expect(await one.line("descriptor heard ", after: start) == shared)
    }

    @Test func `A state is shared, and outlives a process that is killed`() async throws {
        let (one, other) = (try program(), try program())
        let ones = try await one.register("check", "state")
        let others = try await other.register("check", "state")
        _ = try await one.ask("set \(ones) 18446744073709551615", "set 0")
        #expect(try await other.ask("state \(others)", "state 0 ") == "-1 18446744073709551615")
        one.kill()
        #expect(try await other.ask("state \(others)", "state 0 ") == "-1 18446744073709551615")
        let third = try program()
        let thirds = try await third.register("check", "state")
        #expect(try await third.ask("state \(thirds)", "state 0 ") == "-1 18446744073709551615")
    }

    @Test func `A forked child keeps its registration when its parent's ends`() async throws {
        let (one, other) = (try program(), try program())
        let token = try await one.register("check", "held")
        _ = try await one.ask("set \(token) 5", "set 0")
        #expect(try await one.ask("hold \(token)", "holding ") == "0 5")
        #expect(try await one.ask("cancel \(token)", "cancel 0 ") == "-1 0")
        let others = try await other.register("check", "held")
        #expect(try await other.ask("state \(others)", "state 0 ") == "-1 5")
    }

    @Test(.disabled(if: isThreadSanitized, "a forked child starts no threads under it"))
    func `A forked child asks by its parent's tokens, and hears by its own`() async throws {
        let program = try program()
        let handler = try await program.register("dispatch", "forked")
        let token = try await program.register("check", "forked")
        _ = try await program.ask("set \(token) 9", "set 0")
        #expect(try await program.ask("fork \(token) forked", "child ") == "0 1 9 heard")
        // The parent goes on, and has heard of its child's post.
        #expect(await program.line("handler heard ") == handler)
        #expect(await program.line("forked") != nil)
        #expect(try await program.ask("state \(token)", "state 0 ") == "-1 9")
    }
}

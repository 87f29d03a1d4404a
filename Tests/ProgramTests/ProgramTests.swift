// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import TestSupport
import Testing

/// Tests that need a program's own main thread, or a process of their own. Each runs a program, one
/// at a time, and blocks no thread of the pool, which has few.
@Suite("Programs", .serialized, .timeLimit(.minutes(5))) struct ProgramTests {
    /// Runs a program that was built beside the tests, and returns its output, line by line.
    ///
    /// - Parameter withErrors: whether the lines of its standard error are among them.
    private func lines(
        _ program: String, _ arguments: String..., withErrors: Bool = false
    ) async throws -> [String] {
        let url = try #require(Self.folder).appendingPathComponent(program)
        let (status, output) = try await withCheckedThrowingContinuation { ended in
            // A thread of its own may wait for the program as long as it takes.
            let thread = Thread {
                ended.resume(
                    with: Result { try Self.run(url, arguments, withErrors: withErrors) })
            }
            thread.start()
        }
        #expect(status == 0)
        return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private static func run(
        _ url: URL, _ arguments: [String], withErrors: Bool
    ) throws -> (Int32, Data) {
        let process = Process()
        process.executableURL = url
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        if withErrors { process.standardError = pipe }
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, output)
    }

    /// The folder of this test bundle.
    static let folder =
        Bundle.allBundles.map(\.bundleURL)
        .first { $0.pathExtension == "xctest" }?.deletingLastPathComponent()
        ?? Bundle.main.executableURL?.deletingLastPathComponent()

    static let expectedOnMain = [
        "heard 0", "heard 1", "before", "queued 1", "heard from main", "heard 3 in all",
        "heard inline", "inline 1",
    ]

    @Test(.rule(11)) func `An observer on main hears under RunLoop.main.run()`() async throws {
        let heard = try await lines("main-probe", "run-loop")
        #expect(heard == Self.expectedOnMain)
    }

    @Test(.rule(11)) func `An observer on main hears under dispatchMain()`() async throws {
        let heard = try await lines("main-probe", "dispatch-main")
        #expect(heard == Self.expectedOnMain)
    }

    @Test(.rule(11), arguments: ["main-ends-inline", "main-ends-queued"])
    func `An observer on main hears after a handler has called dispatchMain()`(
        program: String
    ) async throws {
        #expect(
            try await lines("main-probe", program) == ["heard 0", "heard 1", "heard 2", "posted"])
    }

    @Test
    func `A handler's post on main comes before the blocks that the handler then gives the queue`()
        async throws
    {
        #expect(try await lines("main-probe", "blocks", "20000") == ["overtaken 0"])
    }

    @Test(.rule(21))
    func `Main-actor methods run on the main actor in a program with the core alone`()
        async throws
    {
        #expect(
            try await lines("core-main-probe") == ["heard 0", "posted 0", "heard 1", "heard 2"])
    }

    @Test(.rule(11)) func `An observer on main hears under an async main`() async throws {
        #expect(
            try await lines("async-main-probe").prefix(4) == [
                "heard 0", "heard 1", "heard 2", "inline 1",
            ])
    }

    @Test(.rule(25)) func `The main thread's queue posts under an async main`() async throws {
        #expect(
            try await lines("async-main-probe").dropFirst(4) == [
                "now", "asap", "idle", "idle, elsewhere", "another", "same", "200 in order",
            ])
    }

    @Test(.rule(11))
    func `The main context and queue can be used first when the main thread has ended`()
        async throws
    {
        let lines = try await lines("async-main-probe", "late", withErrors: true)
        #expect(lines == ["[\"asap\", \"idle\", \"posted\"]"])
    }

    @Test(.rule(28)) func `Under dispatchMain() no lane of the main queue goes deaf`() async throws
    {
        #expect(try await lines("main-probe", "queue-rounds") == ["heard 400"])
    }

    @Test(.rule(28))
    func `The main queue posts entries that the main run loop left when main ends`()
        async throws
    {
        #expect(try await lines("main-probe", "queue-after-loop") == ["heard idle"])
    }

    static let expectedOfQueue = [
        "saved", "main runs", "asap", "now from asap", "saved", "common", "asap from asap", "idle",
        "now from elsewhere", "same queue", "now from a block", "idle from elsewhere",
        "asap before the end", "end",
    ]

    @Test(.rule(25)) func `The main thread's queue posts under RunLoop.main.run()`() async throws {
        #expect(try await lines("main-probe", "queue-run-loop") == Self.expectedOfQueue)
    }

    @Test(.rule(25)) func `The main thread's queue posts under dispatchMain()`() async throws {
        #expect(try await lines("main-probe", "queue-dispatch-main") == Self.expectedOfQueue)
    }

    @Test(.rule(29)) func `Entries of a main thread that never ran its loop are reported`()
        async throws
    {
        #expect(
            try await lines("main-probe", "queue-never-runs") == [
                "main ends",
                "the process ends with 3 notifications, \"one\" (2), \"two\" waiting in the queues "
                    + "of the main thread, whose run loop did not run in their modes, or not long "
                    + "enough; not posted",
            ])
    }

    @Test(.rule(29)) func `2,000 threads that end with notifications queued leave nothing behind`()
        async throws
    {
        let output = try await lines("main-probe", "queue-threads", "2000")
        let numbers = output.prefix(3).map { $0.split(separator: " ").compactMap { Int($0) } }
        try #require(numbers.count == 3 && numbers[0].count == 3 && numbers[1].count == 3)
        let (before, after) = (numbers[0], numbers[1])
        #expect(after[0] <= before[0] + 4, "file descriptors")
        #expect(after[1] <= before[1] + 2, "threads")
        if output.last == "plain" { #expect(after[2] <= before[2] + 3000, "kilobytes") }
        #expect(numbers[2] == [6000])
    }

    @Test(.rule(22)) func `A main run loop inside a handler goes on delivering, in order`()
        async throws
    {
        #expect(
            try await lines("main-probe", "nested") == [
                "begin 0", "begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3", "end 0",
            ])
    }

    @Test(.rule(8)) func `A burst of a million messages to a port on main arrives whole, in order`()
        async throws
    {
        let output = try await lines("main-probe", "ports")
        #expect(output.first == "all in order")
        #expect(output.dropFirst().first == "on main: true")
    }

    @Test(.rule(29)) func `2,000 threads that come and go leave nothing behind`() async throws {
        try await checkLeftovers(lines("main-probe", "threads", "2000"))
    }

    @Test(.rule(29)) func `2,000 threads with ports that come and go leave nothing behind`()
        async throws
    {
        try await checkLeftovers(lines("main-probe", "port-threads", "2000"))
    }

    @Test(.rule(29))
    func `2,000 threads that end without running their named loop leave nothing behind`()
        async throws
    {
        try await checkLeftovers(lines("main-probe", "loops", "2000"))
    }

    @Test func `100,000 observers that come and go while two threads post leave nothing behind`()
        async throws
    {
        try await checkLeftovers(lines("main-probe", "soak", "200000"))
    }

    private func checkLeftovers(_ output: [String]) throws {
        let numbers = output.prefix(3).map { $0.split(separator: " ").compactMap { Int($0) } }
        try #require(numbers.count == 3 && numbers[0].count == 3 && numbers[1].count == 3)
        let (before, after) = (numbers[0], numbers[1])
        #expect(after[0] <= before[0] + 4, "file descriptors")
        #expect(after[1] <= before[1] + 2, "threads")
        // Allocators keep a little; a leak of 2,000 run loops would be 20 times that.
        if output.last == "plain" { #expect(after[2] <= before[2] + 3000, "kilobytes") }
        #expect(numbers[2] == [0], "registrations, or ports")
    }
}

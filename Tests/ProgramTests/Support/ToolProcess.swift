// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import SwitchyardCore
import TestSupport
import Testing

/// The running command-line tool. It is killed when the object is released.
final class ToolProcess: Sendable {
    let output: LineLog
    let errors: LineLog
    let processIdentifier: Int32
    private let input: Pipe
    private let exit = ToolExit()

    /// Starts `switchyard` with these arguments. Its standard input is a pipe, and stays open.
    convenience init(_ arguments: String..., in folder: TestFolder) throws {
        try self.init(arguments, in: folder)
    }

    convenience init(_ arguments: [String], in folder: TestFolder) throws {
        try self.init(try Self.tool, arguments, in: folder)
    }

    /// Starts a program that was built beside the tool.
    convenience init(program: String, in folder: TestFolder) throws {
        try self.init(
            try #require(ProgramTests.folder).appendingPathComponent(program), [], in: folder)
    }

    /// Starts a shell script that finds the tool under `$switchyard`.
    convenience init(script: String, in folder: TestFolder) throws {
        try self.init(URL(fileURLWithPath: "/bin/sh"), ["-c", script], in: folder)
    }

    private static var tool: URL {
        get throws { try #require(ProgramTests.folder).appendingPathComponent("switchyard") }
    }

    private init(_ program: URL, _ arguments: [String], in folder: TestFolder) throws {
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["SWITCHYARD_RUNTIME_DIR": folder.path, "switchyard": try Self.tool.path]
        ) { $1 }
        let (input, outputPipe, errorPipe) = (Pipe(), Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = outputPipe
        process.standardError = errorPipe
        process.terminationHandler = { [exit] in exit.ended($0.terminationStatus) }
        try process.run()
        self.input = input
        output = LineLog(outputPipe.fileHandleForReading)
        errors = LineLog(errorPipe.fileHandleForReading)
        processIdentifier = process.processIdentifier
    }

    deinit { if exit.status == nil { kill(processIdentifier, SIGKILL) } }

    private struct Unchecked<Value>: @unchecked Sendable {
        // Sendable: given to a thread that alone uses it.
        let value: Value
        init(_ value: Value) { self.value = value }
    }

    // MARK: - Input

    /// Writes a text that is short enough for the pipe.
    func write(_ text: String) { input.fileHandleForWriting.write(Data(text.utf8)) }

    /// Writes a text of any length, on a thread of its own.
    func writeAll(_ text: String) async {
        let file = Unchecked(input.fileHandleForWriting)
        await withCheckedContinuation { written in
            let thread = Thread {
                // The tool may have ended, which the test expects then.
                try? file.value.write(contentsOf: Data(text.utf8))
                written.resume()
            }
            thread.start()
        }
    }

    func closeInput() { try? input.fileHandleForWriting.close() }

    func send(_ signal: Int32) { kill(processIdentifier, signal) }

    /// Stops the tool, and waits until all of its threads have stopped.
    func stop() { stopProcess(processIdentifier) }

    // MARK: - Output and end

    /// Waits until `observe` says that it is ready.
    func ready() async throws {
        _ = try #require(await errors.next { $0.contains("ready") })
    }

    /// Waits until the tool has ended. After a minute, the tool is killed.
    func end() async -> Int32 {
        DispatchQueue.global().asyncAfter(deadline: .now() + 60) { [weak self] in
            if let self, exit.status == nil { kill(processIdentifier, SIGKILL) }
        }
        return await exit.wait()
    }
}

/// The exit status of a process, once it has ended.
private final class ToolExit: Sendable {
    private struct State {
        var status: Int32?
        var waiter: CheckedContinuation<Int32, Never>?
    }

    private let state = Guarded(State())

    var status: Int32? { state.withLock(\.status) }

    func ended(_ status: Int32) {
        let waiter = state.withLock { state in
            state.status = status
            return state.waiter.take()
        }
        waiter?.resume(returning: status)
    }

    func wait() async -> Int32 {
        await withCheckedContinuation { waiter in
            let status = state.withLock { state in
                precondition(state.waiter == nil, "one task at a time waits for the end")
                if state.status == nil { state.waiter = waiter }
                return state.status
            }
            if let status { waiter.resume(returning: status) }
        }
    }
}

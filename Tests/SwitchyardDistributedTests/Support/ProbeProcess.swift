// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import CSwitchyard
import DistributedProbe
import Foundation
import SwitchyardCore
import TestSupport

/// A running `peer-probe`.
final class ProbeProcess: Sendable {
    let identifier: Int32
    private let output: Int32
    /// The bytes that were read beyond an answer. The caller that waits for an answer holds the
    /// lock.
    private let unread = Guarded<[UInt8]>([])
    /// The descriptor of the program's input; -1 when the program was told to end.
    private let input: Guarded<Int32>
    private let hasEnded = Guarded(false)

    private init(_ identifier: Int32, input: Int32, output: Int32) {
        self.identifier = identifier
        self.input = Guarded(input)
        self.output = output
    }

    deinit {
        closeInput()
        kill(SIGKILL)
        close(output)
    }

    /// Starts a probe, and waits until it has its center.
    ///
    /// - Throws: the error that the probe prints.
    static func start(
        _ arguments: [String], environment: [String: String]
    ) async throws -> ProbeProcess {
        try await onOwnThread {
            let process = try spawn(arguments, environment)
            let answer = try process.answer()
            if let failure = answer.failure { throw MemberFailure(failure) }
            return process
        }
    }

    /// The folder of this test bundle, in which the programs stand as well.
    static let folder =
        Bundle.allBundles.map(\.bundleURL)
        .first { $0.pathExtension == "xctest" }?.deletingLastPathComponent()
        ?? Bundle.main.bundleURL

    private static func spawn(
        _ arguments: [String], _ environment: [String: String]
    ) throws -> ProbeProcess {
        let (toChild, fromChild) = try (pair(), pair())
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
        posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
        let program = folder.appendingPathComponent("peer-probe").path
        let variables = ProcessInfo.processInfo.environment
            .merging(environment) { $1 }.filter { !$1.isEmpty }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The program does not ignore the signal, as this process does.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        _ = ignoresBrokenPipes
        var identifier: pid_t = 0
        let error = withStrings([program] + arguments) { arguments in
            withStrings(variables.map { "\($0)=\($1)" }) { variables in
                posix_spawn(&identifier, program, &actions, &attributes, arguments, variables)
            }
        }
        close(toChild[0])
        close(fromChild[1])
        guard error == 0 else {
            throw MemberFailure("\(program): \(String(cString: strerror(error)))")
        }
        return ProbeProcess(identifier, input: toChild[1], output: fromChild[0])
    }

    /// Two ends of a pipe that block, and that other programs do not inherit.
    private static func pair() throws -> [Int32] {
        var ends: [Int32] = [-1, -1]
        guard switchyard_socket_pair(&ends) == 0 else { throw MemberFailure("no descriptors") }
        for end in ends { _ = fcntl(end, F_SETFL, 0) }
        return ends
    }

    /// A write to a program that was killed is an error, and no signal.
    private static let ignoresBrokenPipes: Void = { signal(SIGPIPE, SIG_IGN) }()

    private static func withStrings<Result>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }

    // MARK: - Commands

    func run(_ command: Command) throws -> Answer {
        try tell(command)
        return try answer()
    }

    /// Gives the program a command, and does not wait for the answer.
    func tell(_ command: Command) throws {
        var line = Array(try JSONEncoder().encode(command))
        line.append(UInt8(ascii: "\n"))
        // A pipe takes more bytes than a command has. The program reads no command before it has
        // answered the last.
        let count = input.withLock { write($0, line, line.count) }
        guard count == line.count else {
            throw MemberFailure("\(identifier) takes no commands: it has ended")
        }
    }

    /// The answer to the last command.
    func answer() throws -> Answer {
        try unread.withLock { unread in
            while true {
                if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = Data(unread[..<end])
                    unread.removeFirst(end + 1)
                    return try JSONDecoder().decode(Answer.self, from: line)
                }
                let count = withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) {
                    let count = read(output, $0.baseAddress, $0.count)
                    unread.append(contentsOf: $0.prefix(max(0, count)))
                    return count
                }
                if count <= 0 { throw MemberFailure("\(identifier) ended without an answer") }
            }
        }
    }

    // MARK: - Signals

    func kill(_ signal: Int32) {
        hasEnded.withLock { hasEnded in
            if hasEnded { return }
            Foundation.kill(identifier, signal)
            // Wait until all threads of the program have stopped: they go on for a moment.
            if signal == SIGSTOP { waitpid(identifier, nil, WUNTRACED) }
            guard signal == SIGKILL else { return }
            // The end comes soon: the signal kills the program even when it is stopped.
            waitpid(identifier, nil, 0)
            hasEnded = true
        }
    }

    /// Ends the program in order, by the end of its input, and returns its status.
    func finish() -> Int32 {
        closeInput()
        return waitForEnd()
    }

    /// Waits until the program has ended by itself, and returns its status.
    func waitForEnd() -> Int32 {
        var status: Int32 = 0
        hasEnded.withLock { hasEnded in
            if hasEnded { return }
            waitpid(identifier, &status, 0)
            hasEnded = true
        }
        return status
    }

    private func closeInput() {
        input.withLock { input in
            if input >= 0 { close(input) }
            input = -1
        }
    }
}

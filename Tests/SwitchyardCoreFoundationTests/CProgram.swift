// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Synchronization
import TestSupport
import Testing

/// A running `cf-probe`, which is written in C. It is killed when the object is released.
final class CProgram: Sendable {
    /// The program's output, line by line.
    let output = Log<String>()
    /// True: the program prints no more, because it has ended.
    private let hasEnded = Atomic<Bool>(false)
    private let input: FileHandle
    private let identifier: Int32

    private static let folder =
        Bundle.allBundles.map(\.bundleURL)
        .first { $0.pathExtension == "xctest" }?.deletingLastPathComponent()
        ?? Bundle.main.bundleURL

    /// Starts the program. Its runtime folder is in `folder`.
    init(in folder: String) throws {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let process = Process()
        process.executableURL = Self.folder.appendingPathComponent("cf-probe")
        process.environment = ProcessInfo.processInfo.environment
            .merging(["SWITCHYARD_RUNTIME_DIR": folder]) { $1 }
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = output
        try process.run()
        self.input = input.fileHandleForWriting
        identifier = process.processIdentifier
        let reader = Thread { [weak self, log = self.output] in
            defer { self?.hasEnded.store(true, ordering: .releasing) }
            var rest = Data()
            while case let data = output.fileHandleForReading.availableData, !data.isEmpty {
                rest += data
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    log.add(String(decoding: rest[..<end], as: UTF8.self))
                    rest = Data(rest[(end + 1)...])
                }
            }
        }
        reader.start()
    }

    deinit { kill() }

    /// Ends the program as a crash would.
    func kill() { Foundation.kill(identifier, SIGKILL) }

    func tell(_ command: String) { input.write(Data((command + "\n").utf8)) }

    /// Gives the program a command, and waits for a new line that begins with `answer`.
    ///
    /// - Returns: The rest of the line.
    func ask(_ command: String, _ answer: String) async throws -> String {
        let start = output.entries.count
        tell(command)
        return try #require(await line(answer, after: start))
    }

    /// Waits for a line that begins with `answer`, for a minute at most, or until the program has
    /// ended.
    ///
    /// - Returns: The rest of the line; nil if it did not come.
    func line(_ answer: String, after start: Int = 0) async -> String? {
        var found: String?
        await until(within: .seconds(60)) {
            // The end is read before the lines: the last line may come in between.
            let hasEnded = hasEnded.load(ordering: .acquiring)
            found = output.entries.dropFirst(start).first { $0.hasPrefix(answer) }
            return found != nil || hasEnded
        }
        return found.map { String($0.dropFirst(answer.count)) }
    }

    /// Registers for a name.
    ///
    /// - Returns: The token.
    func register(_ kind: String, _ name: String) async throws -> String {
        try await ask("register \(kind) \(name)", "registered 0 ")
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CBenchmarks
internal import Foundation

/// A server that others wrote, of which each fleet starts one of its own.
struct ServerProgram {
    let name: String
    /// What brings it, on Debian.
    let package: String
    /// What it is started with, given a folder for what it needs.
    let arguments: @Sendable (_ folder: String) -> [String]
    /// What it writes when it can be used.
    let readyText: String
    /// Where it is then; nil when what it wrote does not say.
    let address: @Sendable (_ folder: String, _ output: String) -> String?

    /// Where it is; nil when it is not installed.
    var path: String? {
        let variable = ProcessInfo.processInfo.environment["PATH"] ?? ""
        // Debian keeps some of them where the search path of most users does not lead.
        let folders = variable.split(separator: ":").map(String.init)
        return (folders + ["/usr/local/sbin", "/usr/sbin", "/sbin"])
            .map { "\($0)/\(name)" }
            .first { access($0, X_OK) == 0 }
    }
}

/// What this program is started with to become a server that ends when its parent does.
struct ServerArguments {
    private static let mark = "--as-server"

    let placement: Placement
    var parent = getpid()
    let path: String
    /// Of the server.
    let words: [String]

    var all: [String] { [Self.mark, "\(placement.rawValue)", "\(parent)", path] + words }
}

extension ServerArguments {
    /// What the words say; nil if they are of no server.
    init?(words: [String]) {
        guard words.count >= 4, words[0] == Self.mark,
            let placement = Int(words[1]).flatMap(Placement.init), let parent = pid_t(words[2])
        else { return nil }
        self.init(
            placement: placement, parent: parent, path: words[3], words: Array(words.dropFirst(4)))
    }
}

/// A server that runs.
final class Server {
    let address: String
    private let process: pid_t
    /// Kept: a server that can't write ends. Of what it still writes, the pipe holds enough.
    private let output: Int32

    init(_ program: ServerProgram, in folder: String, _ placement: Placement) {
        var ends: [Int32] = [-1, -1]
        guard let path = program.path, benchmarks_pipe(&ends) else {
            Workspace.fail("\(program.name) can't be started")
        }
        output = ends[0]
        let arguments = ServerArguments(
            placement: placement, path: path, words: program.arguments(folder))
        process = ThisProgram.start(arguments.all, output: ends[1])
        close(ends[1])
        let text = Self.read(output, until: program.readyText)
        guard text.contains(program.readyText), let address = program.address(folder, text) else {
            Workspace.fail("\(program.name) did not start:\n\(text)")
        }
        self.address = address
    }

    /// What comes up to the end of the line with `text`, or to its end.
    private static func read(_ descriptor: Int32, until text: String) -> String {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        var isFound = false
        while Foundation.read(descriptor, &byte, 1) == 1 {
            bytes.append(byte)
            guard byte == UInt8(ascii: "\n") else { continue }
            isFound = String(decoding: bytes, as: UTF8.self).contains(text)
            if isFound { break }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    func stop() {
        // It has nothing to save.
        Workspace.end(process, with: SIGKILL)
        close(output)
    }
}

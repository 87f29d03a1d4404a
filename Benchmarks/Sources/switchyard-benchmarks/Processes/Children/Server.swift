// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CBenchmarks
internal import Foundation

/// A server program of another project. Each fleet starts a server of its own.
struct ServerProgram {
    let name: String
    /// The package that has the program, on Debian.
    let package: String
    /// The arguments of the program, given a folder for its files.
    let arguments: @Sendable (_ folder: String) -> [String]
    /// The text that the program writes when it can be used.
    let readyText: String
    /// The address of the server; nil when its output does not say.
    let address: @Sendable (_ folder: String, _ output: String) -> String?

    /// The program's path; nil when it is not installed.
    var path: String? {
        let variable = ProcessInfo.processInfo.environment["PATH"] ?? ""
        // Debian keeps some of them where the search path of most users does not lead.
        let folders = variable.split(separator: ":").map(String.init)
        return (folders + ["/usr/local/sbin", "/usr/sbin", "/sbin"])
            .map { "\($0)/\(name)" }
            .first { access($0, X_OK) == 0 }
    }
}

/// The arguments with which this program becomes a server that ends when its parent does.
struct ServerArguments {
    private static let mark = "--as-server"

    let placement: Placement
    var parent = getpid()
    let path: String
    /// The words of the server's command line.
    let words: [String]

    var all: [String] { [Self.mark, "\(placement.rawValue)", "\(parent)", path] + words }
}

extension ServerArguments {
    /// Reads the words; nil if they are of no server.
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
    /// The output is kept open: a server that can't write ends. The pipe has room for the server's
    /// further output.
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

    /// Reads up to the end of the line with `text`, or to the end of the output.
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
        // The server has nothing to save.
        Workspace.end(process, with: SIGKILL)
        close(output)
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// The files that a process has in its memory, by their paths: its program and libraries among them.
struct MappedFiles {
    /// Whether a file was removed since it was mapped, by the path that it had. Another file may
    /// have taken the path: a program that was built anew, for example.
    private var isRemoved: [String: Bool] = [:]
    private let process: Int32

    /// Reads what the system says of a process. Has no files if that has ended, and on systems other
    /// than Linux.
    init(of process: Int32) {
        self.process = process
        for line in Self.lines(of: process) {
            guard let path = Self.path(in: line) else { continue }
            let name = Self.withoutMark(path)
            isRemoved[name] = (isRemoved[name] ?? false) || name != path
        }
    }

    /// A path under which the file can be read that the process has mapped from `path`.
    ///
    /// - Returns: `path` itself where nothing is known of the process; nil if the file was removed or
    ///   moved, or is no longer mapped, unless it is the process's program.
    func readablePath(of path: String) -> String? {
        if isRemoved.isEmpty { return path }
        let link = Self.programLink(of: process)
        // Debug information that stands beside the program is found by its path alone.
        if Self.program(of: process) == path, let program = FileNumber(of: link, followsLink: true)
        {
            return FileNumber(of: path, followsLink: true) == program ? path : link
        }
        // Files are mapped by the paths that links lead to.
        let file = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        return isRemoved[path] == false || isRemoved[file] == false ? path : nil
    }

    /// The path of the program that a process runs, which it had when it was started; nil if it is
    /// not known.
    static func program(of process: Int32) -> String? {
        let link = programLink(of: process)
        return (try? FileManager.default.destinationOfSymbolicLink(atPath: link)).map(withoutMark)
    }

    /// The path of the file that a process has mapped at an address; nil if there is none.
    static func path(at address: UInt, in process: Int32) -> String? {
        for line in lines(of: process) {
            let bounds = line.prefix { $0 != " " }.split(separator: "-")
            guard bounds.count == 2, let first = UInt(bounds[0], radix: 16),
                let end = UInt(bounds[1], radix: 16), (first..<max(first, end)).contains(address)
            else { continue }
            return path(in: line).map(withoutMark)
        }
        return nil
    }

    /// The link leads to the file itself, also if that has lost its name.
    private static func programLink(of process: Int32) -> String { "/proc/\(process)/exe" }

    private static func lines(of process: Int32) -> [Substring] {
        // To the end: Foundation's functions that take a path read a file of no known length in one
        // piece, which is a part of this one.
        guard let file = FileHandle(forReadingAtPath: "/proc/\(process)/maps"),
            let data = try? file.readToEnd()
        else { return [] }
        // Not every path is UTF-8.
        return String(decoding: data, as: UTF8.self).split(separator: "\n")
    }

    /// The sixth column of a line, which may have spaces.
    private static func path(in line: Substring) -> String? {
        let columns = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
        guard columns.count == 6 else { return nil }
        let path = columns[5].drop { $0 == " " }
        return path.hasPrefix("/") ? String(path) : nil
    }

    /// Linux marks the path of a file that was removed.
    private static func withoutMark(_ path: String) -> String {
        let mark = " (deleted)"
        // A file may be called so.
        let isMarked = path.hasSuffix(mark) && access(path, F_OK) != 0
        return isMarked ? String(path.dropLast(mark.count)) : path
    }
}

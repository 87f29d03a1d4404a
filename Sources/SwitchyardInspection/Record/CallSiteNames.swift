// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// Finds the lines of source that return addresses belong to, with the toolchain's
/// `llvm-symbolizer`.
package struct CallSiteNames {
    /// One function of a frame; a frame has several where functions were inlined.
    private struct Symbol: Decodable {
        var file: String?
        var line: Int?
        var function: String?

        enum CodingKeys: String, CodingKey {
            case file = "FileName"
            case line = "Line"
            case function = "FunctionName"
        }
    }

    private struct Answer: Decodable {
        var symbols: [Symbol]?

        enum CodingKeys: String, CodingKey {
            case symbols = "Symbol"
        }
    }

    private var symbols: [TraceBatch.Frame: [Symbol]] = [:]

    /// Looks up all frames of these sites.
    package init(_ sites: [UInt32: [TraceBatch.Frame]]) {
        // A question is a line with the path in quotation marks.
        let frames = Array(
            Set(sites.values.joined()).filter { frame in
                !frame.module.isEmpty && !frame.module.contains { $0 == "\"" || $0.isNewline }
                    && Self.isFile(frame.module)
            })
        let answers = Self.ask(frames)
        guard answers.count == frames.count else { return }
        for (frame, answer) in zip(frames, answers) { symbols[frame] = answer.symbols ?? [] }
    }

    /// The line from which a post was made: that of the first function that is not the center's
    /// own. The function's name in a program without debug information; nil if there is none
    /// either.
    package func line(of site: [TraceBatch.Frame]) -> String? {
        let functions = site.flatMap { symbols[$0] ?? [] }
        for symbol in functions {
            if let file = symbol.file, let line = symbol.line, line > 0, !Self.isOwn(file: file) {
                return "\(Self.shortened(file)):\(line)"
            }
        }
        return functions.lazy.compactMap(\.function).first { !Self.isOwn(function: $0) }
    }

    /// Whether a source file belongs to Switchyard, or the compiler made it up.
    private static func isOwn(file: String) -> Bool {
        if file.hasSuffix("<compiler-generated>") { return true }
        let parts = file.split(separator: "/")
        guard let sources = parts.lastIndex(of: "Sources"), sources + 1 < parts.count else {
            return false
        }
        return modules.contains(String(parts[sources + 1]))
    }

    /// Whether a function, by its mangled name, belongs to Switchyard or to Swift's library.
    private static func isOwn(function: String) -> Bool {
        function.isEmpty || function.hasPrefix("$ss") || function.hasPrefix("$sS")
            || function.hasPrefix("switchyard_")
            || modules.contains { function.hasPrefix("$s\($0.utf8.count)\($0)") }
    }

    private static let modules = [
        "CSwitchyard", "SwitchyardCore", "Switchyard", "SwitchyardDistributed", "SwitchyardNATS",
        "SwitchyardOpenCombine", "SwitchyardCoreFoundation",
    ]

    /// The file with its folder, as registrations have it.
    private static func shortened(_ path: String) -> String {
        path.split(separator: "/").suffix(2).joined(separator: "/")
    }

    /// Whether a path leads to a plain file. Reading another may never end.
    private static func isFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    // MARK: - The symbolizer

    /// The symbolizer's answers, one for each frame; none if it can't be run.
    private static func ask(_ frames: [TraceBatch.Frame]) -> [Answer] {
        guard !frames.isEmpty else { return [] }
        let questions = frames.map { frame in
            // The call stands before the address to which it returns.
            "CODE \"\(frame.module)\" 0x\(String(frame.offset &- 1, radix: 16))\n"
        }
        let text = ChildProgram.output(
            of: ["llvm-symbolizer", "--output-style=JSON", "--no-demangle"],
            input: Data(questions.joined().utf8))
        guard let text else { return [] }
        return text.split(separator: UInt8(ascii: "\n")).map { line in
            (try? JSONDecoder().decode(Answer.self, from: Data(line))) ?? Answer()
        }
    }
}

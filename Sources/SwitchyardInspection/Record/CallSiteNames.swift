// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// Finds the lines of source that return addresses belong to, with the toolchain's `llvm-symbolizer`.
package struct CallSiteNames {
    /// One function of a frame; a frame has several where functions were inlined.
    private struct Symbol: Decodable {
        var FileName: String?
        var Line: Int?
        var FunctionName: String?
    }

    private struct Answer: Decodable {
        var Symbol: [Symbol]?
    }

    private var symbols: [TraceBatch.Frame: [Symbol]] = [:]

    /// Looks up all frames of these sites.
    package init(_ sites: [UInt32: [TraceBatch.Frame]]) {
        let frames = Array(Set(sites.values.joined().filter { !$0.module.isEmpty }))
        let answers = Self.ask(frames)
        guard answers.count == frames.count else { return }
        for (frame, answer) in zip(frames, answers) { symbols[frame] = answer.Symbol ?? [] }
    }

    /// The line from which a post was made: that of the first function that is not the center's own. Where
    /// the program was built without debug information, its name; nil if there is none either.
    package func line(of site: [TraceBatch.Frame]) -> String? {
        var function: String?
        for frame in site {
            for symbol in symbols[frame] ?? [] where !Self.isOwn(symbol) {
                if let file = symbol.FileName, !file.isEmpty, let line = symbol.Line, line > 0 {
                    return "\(Self.shortened(file)):\(line)"
                }
                if function == nil, let name = symbol.FunctionName, !name.isEmpty { function = name }
            }
        }
        return function
    }

    /// Whether a function belongs to Switchyard, or the compiler made it up.
    private static func isOwn(_ symbol: Symbol) -> Bool {
        if symbol.FileName?.hasSuffix("<compiler-generated>") == true {
            return true
        }
        let parts = (symbol.FileName ?? "").split(separator: "/")
        let modules = [
            "CSwitchyard", "SwitchyardCore", "Switchyard", "SwitchyardDistributed",
            "SwitchyardNATS", "SwitchyardOpenCombine", "SwitchyardCoreFoundation",
        ]
        if let sources = parts.lastIndex(of: "Sources"), sources + 1 < parts.count {
            return modules.contains(String(parts[sources + 1]))
        }
        // Without debug information, by the mangled or demangled name of the module.
        let name = symbol.FunctionName ?? ""
        return parts.isEmpty
            && (name.hasPrefix("Switchyard") || name.hasPrefix("$s10Switchyard")
                || name.hasPrefix("$s14SwitchyardCore") || name.hasPrefix("switchyard_"))
    }

    /// The file with its folder, as registrations have it.
    private static func shortened(_ path: String) -> String {
        path.split(separator: "/").suffix(2).joined(separator: "/")
    }

    // MARK: - The symbolizer

    /// The symbolizer's answers, one for each frame; none if it can't be run.
    private static func ask(_ frames: [TraceBatch.Frame]) -> [Answer] {
        guard !frames.isEmpty else { return [] }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["llvm-symbolizer", "--output-style=JSON", "--demangle"]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return [] }
        // From a thread of its own: the symbolizer answers before it has read everything.
        let questions = frames.map { frame in
            // The call stands before the address to which it returns.
            "CODE \"\(frame.module)\" 0x\(String(frame.offset &- 1, radix: 16))\n"
        }
        Thread.detachNewThread {
            try? input.fileHandleForWriting.write(contentsOf: Data(questions.joined().utf8))
            try? input.fileHandleForWriting.close()
        }
        let text = (try? output.fileHandleForReading.readToEnd()) ?? Data()
        process.waitUntilExit()
        return text.split(separator: UInt8(ascii: "\n")).map { line in
            (try? JSONDecoder().decode(Answer.self, from: Data(line))) ?? Answer()
        }
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// One function of a frame, and the line in it; a frame has several where functions were inlined.
struct FrameSymbol: Hashable, Decodable {
    var file: String?
    var line: Int?
    /// The mangled name.
    var function: String?

    enum CodingKeys: String, CodingKey {
        case file = "FileName"
        case line = "Line"
        case function = "FunctionName"
    }

    /// Looks up frames with `llvm-symbolizer`, which Swift's toolchains have; without that, with
    /// `addr2line`, which most systems have that compile C.
    ///
    /// - Returns: The symbols of each frame, the innermost first; nothing without these programs.
    static func look(for frames: Set<TraceBatch.Frame>) -> [TraceBatch.Frame: [FrameSymbol]] {
        if frames.isEmpty { return [:] }
        return askSymbolizer(Array(frames)) ?? askAddressTool(frames)
    }

    /// The address of a frame's call, which stands before the one to which it returns.
    private static func address(_ frame: TraceBatch.Frame) -> String {
        "0x\(String(frame.offset &- 1, radix: 16))"
    }

    // MARK: - llvm-symbolizer

    private struct Answer: Decodable {
        var symbols: [FrameSymbol]?

        enum CodingKeys: String, CodingKey {
            case symbols = "Symbol"
        }
    }

    private static func askSymbolizer(
        _ frames: [TraceBatch.Frame]
    ) -> [TraceBatch.Frame: [FrameSymbol]]? {
        let questions = frames.map { "CODE \"\($0.module)\" \(address($0))\n" }
        let text = ChildProgram.output(
            of: ["llvm-symbolizer", "--output-style=JSON", "--no-demangle"],
            input: Data(questions.joined().utf8))
        guard let lines = text?.split(separator: UInt8(ascii: "\n")),
            lines.count == frames.count
        else { return nil }
        var symbols: [TraceBatch.Frame: [FrameSymbol]] = [:]
        for (frame, line) in zip(frames, lines) {
            symbols[frame] = (try? JSONDecoder().decode(Answer.self, from: Data(line)))?.symbols
        }
        return symbols
    }

    // MARK: - addr2line

    static func askAddressTool(
        _ frames: Set<TraceBatch.Frame>
    ) -> [TraceBatch.Frame: [FrameSymbol]] {
        var symbols: [TraceBatch.Frame: [FrameSymbol]] = [:]
        for (module, frames) in Dictionary(grouping: frames, by: \.module) {
            let text = ChildProgram.output(
                of: ["addr2line", "-a", "-f", "-i", "-e", module],
                input: Data(frames.map { "\(address($0))\n" }.joined().utf8))
            guard let text else { continue }
            let answers = read(String(decoding: text, as: UTF8.self))
            guard answers.count == frames.count else { continue }
            for (frame, answer) in zip(frames, answers) { symbols[frame] = answer }
        }
        return symbols
    }

    /// Reads what `addr2line -a -f -i` writes: for each question a line with its address, and then
    /// two lines for each function, the name and `file:line`, with question marks for the unknown.
    static func read(_ text: String) -> [[FrameSymbol]] {
        var answers: [[FrameSymbol]] = []
        var function: String?
        for line in text.split(separator: "\n") {
            if function == nil, line.hasPrefix("0x") {
                answers.append([])
            } else if let name = function {
                if !answers.isEmpty { answers[answers.count - 1].append(symbol(name, at: line)) }
                function = nil
            } else {
                function = String(line)
            }
        }
        return answers
    }

    private static func symbol(_ name: String, at place: Substring) -> FrameSymbol {
        // Behind the line, there may be a word in brackets.
        let place = place.split(separator: " ", maxSplits: 1).first ?? place
        let end = place.lastIndex(of: ":") ?? place.endIndex
        let file = String(place[..<end])
        return FrameSymbol(
            file: file == "??" ? nil : file,
            line: end < place.endIndex ? Int(place[place.index(after: end)...]) : nil,
            function: name == "??" ? nil : name)
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardConsole
internal import ThreadNames

/// The format in which lines are printed.
struct LinePrinter {
    /// Whether to print a JSON object for each line, in place of `name: line`.
    let asJSON: Bool
    /// Whether to print the threads on which a line was posted and handled.
    let showsThreads: Bool

    func print(_ message: LinePosted, to output: OutputBuffer) {
        if asJSON { printJSON(message, to: output) } else { printText(message, to: output) }
        output.append(UInt8(ascii: "\n"))
    }

    private func printText(_ message: LinePosted, to output: OutputBuffer) {
        output.append(message.file.utf8Name)
        if showsThreads {
            output.append(Array(" [\(message.file.postedOn) → \(ThreadName.current)]".utf8))
        }
        output.append(UInt8(ascii: ":"))
        output.append(UInt8(ascii: " "))
        message.line.withBytes { output.append($0) }
    }

    private func printJSON(_ message: LinePosted, to output: OutputBuffer) {
        append("{\"file\":", message.file.name, to: output)
        append(",\"line\":", message.line.text, to: output)
        if let data = message.line.dataIfNotText {
            append(",\"lineBase64\":", data.base64EncodedString(), to: output)
        }
        if showsThreads {
            append(",\"postedOn\":", message.file.postedOn, to: output)
            append(",\"handledOn\":", ThreadName.current, to: output)
        }
        output.append(UInt8(ascii: "}"))
    }

    private func append(_ key: String, _ value: String, to output: OutputBuffer) {
        output.append(Array(key.utf8))
        output.append(quoted: value)
    }
}

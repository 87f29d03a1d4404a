// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardDistributed
internal import SwitchyardWire

/// The format in which lines are printed.
struct LinePrinter {
    /// Whether to print a JSON object for each line, in place of `name: line`.
    let asJSON: Bool
    /// Whether to print the threads on which a line was posted and handled.
    let showsThreads: Bool

    func print(_ message: LinePosted, to output: OutputBuffer) {
        message.line.withBytes { line in
            if asJSON {
                printJSON(message, line, to: output)
            } else {
                printText(message, line, to: output)
            }
        }
        output.append(UInt8(ascii: "\n"))
    }

    private func printText(
        _ message: LinePosted, _ line: UnsafeRawBufferPointer, to output: OutputBuffer
    ) {
        output.append(message.file.utf8Name)
        if showsThreads {
            output.append(Array(" [\(message.file.postedOn) → \(ThreadName.current)]".utf8))
        }
        output.append(UInt8(ascii: ":"))
        output.append(UInt8(ascii: " "))
        output.append(line)
    }

    private func printJSON(
        _ message: LinePosted, _ line: UnsafeRawBufferPointer, to output: OutputBuffer
    ) {
        output.append { text in
            text.append(firstKey: "file")
            text.append(quoted: message.file.name)
            text.append(key: "line")
            Self.append(line, to: &text)
            if showsThreads {
                text.append(key: "postedOn")
                text.append(quoted: message.file.postedOn)
                text.append(key: "handledOn")
                text.append(quoted: ThreadName.current)
            }
            text.append(UInt8(ascii: "}"))
        }
    }

    /// Appends a line as a JSON string. If the line is not UTF-8, the string has replacement
    /// characters, and a second member has the bytes in Base64.
    private static func append(_ line: UnsafeRawBufferPointer, to text: inout ByteWriter) {
        if line.isUTF8 { return text.append(quoted: line) }
        text.append(quoted: String(decoding: line, as: UTF8.self))
        text.append(key: "lineBase64")
        text.append(quoted: Data(line).base64EncodedString())
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// How a line is printed.
struct LinePrinter {
    /// One JSON object a line, in place of `name: line`.
    let asJSON: Bool
    /// With the threads on which it was posted and handled.
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
        var object = JSONLine(output)
        object.add("file", message.file.utf8Name)
        object.add("line", line)
        if showsThreads {
            object.add("postedOn", Array(message.file.postedOn.utf8))
            object.add("handledOn", Array(ThreadName.current.utf8))
        }
        object.end()
    }
}

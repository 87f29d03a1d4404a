// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// What is said beside the lines, on standard error.
enum Notices {
    /// Says `text` in the name of the command.
    static func say(_ text: String) { print("switchyard tail: \(text)") }

    /// Prints `text` and a newline in one write, so that threads do not mix.
    static func print(_ text: String) {
        let line = Array("\(text)\n".utf8)
        _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}

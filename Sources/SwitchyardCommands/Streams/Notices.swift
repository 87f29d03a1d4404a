// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// What a command says beside its output, on standard error.
struct Notices: Sendable {
    /// The tool's name and the command's.
    let speaker: String

    /// Those of a command.
    init(of command: String) { speaker = "switchyard \(command)" }

    /// Says `text` in the name of the command.
    func say(_ text: String) { Self.print("\(speaker): \(text)") }

    /// Prints `text` and a newline in one write, so that threads do not mix.
    static func print(_ text: String) {
        let line = Array("\(text)\n".utf8)
        _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}

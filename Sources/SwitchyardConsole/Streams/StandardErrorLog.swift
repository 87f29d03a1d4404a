// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardCore
internal import SwitchyardDistributed
internal import SwitchyardWire

/// The messages of a command on standard error, separate from its output.
public struct StandardErrorLog: Sendable {
    /// The name of the program, with that of the command if it has several.
    package let speaker: String

    /// Creates the messages of a command.
    public init(_ speaker: String) { self.speaker = speaker }

    /// Prints `text` after the command's name, in one line. The text may contain words of other
    /// processes, so control characters are escaped: they must not look like the command's own
    /// messages.
    public func say(_ text: String) { Self.print("\(speaker): \(text.shown)") }

    /// Prints `text` and a newline in one write, so that the lines of threads do not mix.
    public static func print(_ text: String) {
        let line = Array("\(text)\n".utf8)
        _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}

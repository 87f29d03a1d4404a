// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardConsole

/// A demonstration that was a command of the tool, and is one of the examples now.
enum MovedCommand: String, CaseIterable {
    case tour
    case tail

    /// Ends the process with a message if its first argument is such a command.
    static func check() {
        guard let moved = MovedCommand(CommandLine.arguments) else { return }
        StandardErrorLog.print(moved.message)
        exit(EX_USAGE)
    }

    /// - Parameter arguments: the process's arguments, beginning with the program's name.
    init?(_ arguments: [String]) {
        guard let command = arguments.dropFirst().first else { return nil }
        self.init(rawValue: command)
    }

    /// The message for somebody who uses the command.
    var message: String {
        "switchyard: '\(rawValue)' is an example now; in a clone of the repository, run: "
            + "swift run --package-path Examples \(rawValue)"
    }
}

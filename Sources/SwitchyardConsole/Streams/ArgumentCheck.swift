// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardDistributed

/// A check that the process's arguments are readable text.
enum ArgumentCheck {
    /// Ends the process with a message, in the name of `program`, if its arguments can't be read or
    /// are not UTF-8.
    static func run(_ program: String) {
        guard let problem = problem(in: rawArguments) else { return }
        StandardErrorLog.print("\(program): \(problem.text)")
        exit(problem.status)
    }

    /// A problem with the arguments, and the exit status for it.
    struct Problem: Equatable {
        let text: String
        let status: Int32
    }

    /// - Parameter arguments: the bytes of each argument, including the program's name.
    static func problem(in arguments: [[UInt8]]) -> Problem? {
        // Every process has at least its own name as an argument, unless the system does not tell.
        if arguments.isEmpty {
            return Problem(
                text: "its arguments can't be read, so nothing was done: is /proc mounted?",
                status: EXIT_FAILURE)
        }
        for (number, argument) in arguments.enumerated().dropFirst()
        where !argument.withUnsafeBytes(\.isUTF8) {
            return Problem(
                text:
                    "argument \(number), '\(escaped(argument))', is not UTF-8: names, objects and all "
                    + "other texts have to be; convert it, for example with iconv",
                status: EX_USAGE)
        }
        return nil
    }

    /// The arguments as they came. `CommandLine.arguments` would repair text that is not UTF-8.
    private static var rawArguments: [[UInt8]] {
        let arguments = CommandLine.unsafeArgv
        return (0..<Int(CommandLine.argc)).compactMap { index in
            arguments[index].map { text in
                Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
            }
        }
    }

    /// Returns printable ASCII as it is, and all other bytes as `\xNN`.
    private static func escaped(_ bytes: [UInt8]) -> String {
        bytes.reduce(into: "") { text, byte in
            let isPlain = (0x20..<0x7F).contains(byte)
            text += isPlain ? String(UnicodeScalar(byte)) : String(format: "\\x%02x", Int(byte))
        }
    }
}

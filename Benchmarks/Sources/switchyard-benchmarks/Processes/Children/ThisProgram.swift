// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CBenchmarks
internal import Foundation

/// This program, started again.
enum ThisProgram {
    /// Starts the program with arguments.
    ///
    /// - Parameters:
    ///   - control: the descriptor that the program gets as number 3; -1 for none.
    ///   - output: the descriptor of its output; -1 for this program's.
    static func start(_ arguments: [String], control: Int32 = -1, output: Int32 = -1) -> pid_t {
        let path = "/proc/self/exe"
        let process = withCStrings([CommandLine.arguments[0]] + arguments) {
            benchmarks_spawn(path, $0, control, output)
        }
        guard process > 0 else { Workspace.fail("this program could not be started again") }
        Workspace.began(process)
        return process
    }

    /// Becomes another program; returns when that can't be.
    static func become(_ path: String, _ arguments: [String]) {
        withCStrings([path] + arguments) { _ = execv(path, $0) }
    }

    /// Calls `body` with the words and a null, as C programs are started with.
    private static func withCStrings<Result>(
        _ words: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        let strings = words.map { strdup($0) } + [nil]
        defer { for string in strings { free(string) } }
        return body(strings)
    }
}

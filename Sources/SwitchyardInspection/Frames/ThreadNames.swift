// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// The names of this process's threads, as debuggers show them.
enum ThreadNames {
    /// The name; that of the process for a thread that has none, and empty for one that has ended.
    static func name(of thread: Int32) -> String {
        #if os(Linux)
        let path = "/proc/self/task/\(thread)/comm"
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return "" }
        return text.trimmingCharacters(in: .newlines)
        #else
        return ""
        #endif
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// The files that this process has from the one that started it.
package enum Inherited {
    /// The number of files that were open at the process's start. Tests beside the one that started
    /// it may have opened them, so they are no costs of its own.
    package static let files: Int = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        // A program that this process becomes has none of them either.
        for descriptor in names.compactMap({ Int32($0) }) where descriptor > 2 {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }
        return names.count
    }()
}

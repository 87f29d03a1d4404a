// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// The files that this process has from the one that started it.
package enum Inherited {
    /// Closes all but the standard files. A test beside the one that started this process may read
    /// a pipe to its end, which never comes while any process has the other end open.
    ///
    /// Call it before the process opens files of its own.
    package static func closeFiles() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        for descriptor in names.compactMap({ Int32($0) }) where descriptor > 2 {
            close(descriptor)
        }
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// What this process has from the one that started it.
package enum Inherited {
    /// How many files were open at its start: also such as tests have opened beside the one that
    /// started it. They are no costs of its own.
    package static let files: Int = {
        let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        return names?.count ?? 0
    }()
}

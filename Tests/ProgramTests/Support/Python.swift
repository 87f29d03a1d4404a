// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation

/// The interpreter of Python; nil where there is none.
let pythonInterpreter =
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .map { URL(fileURLWithPath: String($0)).appendingPathComponent("python3") }
    .first { FileManager.default.isExecutableFile(atPath: $0.path) }

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CBenchmarks
internal import Foundation

/// The machine of the measurement.
enum Machine {
    /// A line that says so.
    static func heading(isQuick: Bool) -> String {
        let information = ProcessInfo.processInfo
        let load = String(format: "%.1f", benchmarks_load())
        var text =
            "\(information.activeProcessorCount) processors, \(system), "
            + "load \(load) when it began"
        #if DEBUG
        text += "; NOT optimised: build with -c release"
        #endif
        if isQuick { text += "; quick: the figures mean little" }
        return text + "."
    }

    private static var system: String {
        #if arch(x86_64)
        let processor = "x86-64"
        #elseif arch(arm64)
        let processor = "arm64"
        #else
        let processor = "another architecture"
        #endif
        return "\(processor), \(ProcessInfo.processInfo.operatingSystemVersionString)"
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardCore

/// A value that reports at exit which of its work was not done.
protocol EndsWithProcess: AnyObject, Sendable {
    /// The name by which the reports are ordered.
    var label: String { get }

    func processEnds()
}

/// Calls `processEnds()` on each registered value at exit.
enum ProcessEnd {
    private struct Living: Sendable {
        var values: [ObjectIdentifier: any EndsWithProcess] = [:]
        var isWatching = false
    }

    private static let living = Guarded(Living())

    static func add(_ value: any EndsWithProcess) {
        let watches = living.withLock { living in
            living.values[ObjectIdentifier(value)] = value
            defer { living.isWatching = true }
            return !living.isWatching
        }
        if watches { atexit { ProcessEnd.run() } }
    }

    static func remove(_ value: any EndsWithProcess) {
        _ = living.withLock { $0.values.removeValue(forKey: ObjectIdentifier(value)) }
    }

    private static func run() {
        let values = living.withLock { Array($0.values.values) }
        for value in values.sorted(by: { $0.label < $1.label }) { value.processEnds() }
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// What the commands call threads.
enum ThreadName {
    private static let queueLabel = DispatchSpecificKey<String>()

    /// `main`, the label of a queue from ``queue(_:)``, or the thread's name.
    static var current: String {
        if Thread.isMainThread { return "main" }
        if let label = DispatchQueue.getSpecific(key: queueLabel) { return label }
        guard let name = Thread.current.name, !name.isEmpty else { return "unnamed thread" }
        return name
    }

    /// A serial queue that ``current`` knows by its label: its threads have no names.
    static func queue(_ label: String) -> DispatchQueue {
        let queue = DispatchQueue(label: label)
        queue.setSpecific(key: queueLabel, value: label)
        return queue
    }
}

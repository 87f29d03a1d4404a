// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

package import Foundation

/// The names of threads, as the programs show them.
package enum ThreadName {
    private static let queueLabel = DispatchSpecificKey<String>()

    private static let fullName = "switchyard.name"

    /// The calling thread's name: `main`, the label of a queue from ``queue(_:)``, or the name set
    /// by ``set(_:)``.
    package static var current: String {
        if Thread.isMainThread { return "main" }
        if let label = DispatchQueue.getSpecific(key: queueLabel) { return label }
        let full = Thread.current.threadDictionary[fullName] as? String
        guard let name = full ?? Thread.current.name, !name.isEmpty else {
            return "unnamed thread"
        }
        return name
    }

    /// Names the calling thread. Linux refuses names of more than 15 bytes, so it gets the first
    /// 15.
    package static func set(_ name: String) {
        Thread.current.threadDictionary[fullName] = name
        var short = name
        while short.utf8.count > 15 { short.removeLast() }
        Thread.current.name = short
    }

    /// Returns a serial queue whose label ``current`` finds: the queue's threads have no names.
    package static func queue(_ label: String) -> DispatchQueue {
        let queue = DispatchQueue(label: label)
        queue.setSpecific(key: queueLabel, value: label)
        return queue
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

extension DispatchQueue {
    /// Whether the queue runs several blocks at once, so that a block that waits holds up no other.
    ///
    /// No public property tells. Queues of one kind share a class, on Linux a table of functions,
    /// so the queue's is compared with those of queues whose kind is known. Every queue counts as
    /// serial where these can't be told apart.
    var runsBlocksAtOnce: Bool {
        guard let kinds = Kinds.known else { return false }
        return kinds.concurrent.contains(kind)
    }

    /// A number that all queues of one kind share: the address of their class or table.
    private var kind: UInt {
        #if canImport(ObjectiveC)
        return UInt(bitPattern: ObjectIdentifier(object_getClass(self) ?? DispatchQueue.self))
        #else
        // A Swift object: two words, and the libdispatch queue, whose first word is its table.
        let wrapper = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
        let queue = wrapper.load(
            fromByteOffset: 2 * MemoryLayout<UnsafeRawPointer>.size, as: UnsafeRawPointer.self)
        return withExtendedLifetime(self) { queue.load(as: UInt.self) }
        #endif
    }

    private struct Kinds {
        let concurrent: Set<UInt>

        /// Nil where serial and concurrent queues can't be told apart.
        static let known: Kinds? = {
            let serial = (0..<2).map { DispatchQueue(label: "switchyard.serial.\($0)").kind }
            let concurrent = (0..<2).map {
                DispatchQueue(label: "switchyard.\($0)", attributes: .concurrent).kind
            }
            guard serial[0] == serial[1], concurrent[0] == concurrent[1],
                serial[0] != concurrent[0]
            else { return nil }
            return Kinds(concurrent: [concurrent[0], DispatchQueue.global().kind])
        }()
    }
}

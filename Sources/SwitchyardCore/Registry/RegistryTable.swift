// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// An open-addressing hash table of buckets, read by posting threads without a lock.
///
/// A slot is filled once and never emptied: a bucket that goes, goes with a rebuilt table. So a
/// reader that meets an empty slot knows that there is nothing behind it.
final class RegistryTable: ManagedBuffer<RegistryTableHeader, RegistryTableSlot> {
    /// A table that takes `buckets`, and half as many again before it is full.
    static func make(buckets: Int) -> RegistryTable {
        var size = 8
        while size < buckets * 2 { size *= 2 }
        let table = create(minimumCapacity: size) { _ in
            RegistryTableHeader(mask: UInt(size - 1))
        }
        table.withUnsafeMutablePointerToElements { slots in
            for index in 0..<size { (slots + index).initialize(to: RegistryTableSlot()) }
        }
        return unsafeDowncast(table, to: RegistryTable.self)
    }

    deinit {
        for index in 0...Int(mask) {
            if let bucket = slots[index].bucket.load(ordering: .relaxed) {
                Unmanaged<Bucket>.fromOpaque(bucket).release()
            }
        }
        slots.deinitialize(count: Int(mask) + 1)
    }

    @inline(__always)
    private var slots: UnsafeMutablePointer<RegistryTableSlot> {
        withUnsafeMutablePointerToElements { $0 }
    }

    @inline(__always)
    private var mask: UInt { withUnsafeMutablePointerToHeader { $0.pointee.mask } }

    /// The number of filled slots. Guard: the registry's lock.
    private(set) var count: Int {
        get { withUnsafeMutablePointerToHeader { $0.pointee.count } }
        set { withUnsafeMutablePointerToHeader { $0.pointee.count = newValue } }
    }

    /// Whether another bucket would leave too few empty slots for short searches.
    var isFull: Bool { count * 4 > Int(mask) * 3 }

    /// The bucket of a topic and a subject.
    @inline(__always)
    func find(_ topic: Topic, _ subject: Subject) -> Unmanaged<Bucket>? {
        find(Key.hash(topic, subject)) { $0.matches(topic, subject) }
    }

    /// The bucket of a message type and any subject: two words to compare, and no name.
    @inline(__always)
    func find(type topic: Topic) -> Unmanaged<Bucket>? {
        find(topic.hash) { $0.matches(type: topic) }
    }

    @inline(__always)
    private func find(_ hash: UInt, where matches: (Bucket) -> Bool) -> Unmanaged<Bucket>? {
        var index = hash & mask
        while let address = slots[Int(bitPattern: index)].bucket.load(ordering: .acquiring) {
            if slots[Int(bitPattern: index)].hash.load(ordering: .relaxed) == hash {
                let bucket = Unmanaged<Bucket>.fromOpaque(address)
                if bucket._withUnsafeGuaranteedRef(matches) { return bucket }
            }
            index = (index &+ 1) & mask
        }
        return nil
    }

    /// The buckets that may be that of `key`, whose subject is a value, before its `==` is asked.
    /// Guard: the registry's lock.
    func candidates(for key: Key) -> [Bucket] {
        var found: [Bucket] = []
        var index = key.hash & mask
        while let address = slots[Int(bitPattern: index)].bucket.load(ordering: .relaxed) {
            let bucket = Unmanaged<Bucket>.fromOpaque(address).takeUnretainedValue()
            if bucket.mayMatch(key) { found.append(bucket) }
            index = (index &+ 1) & mask
        }
        return found
    }

    /// Adds `bucket`. Guard: the registry's lock; the table must not be full.
    func insert(_ bucket: Bucket) {
        var index = bucket.hash & mask
        while slots[Int(bitPattern: index)].bucket.load(ordering: .relaxed) != nil {
            index = (index &+ 1) & mask
        }
        slots[Int(bitPattern: index)].hash.store(bucket.hash, ordering: .relaxed)
        slots[Int(bitPattern: index)].bucket.store(
            UnsafeRawPointer(Unmanaged.passRetained(bucket).toOpaque()), ordering: .releasing)
        count += 1
    }

    /// Every bucket, in no particular order. Guard: the registry's lock.
    var buckets: [Bucket] {
        (0...Int(mask)).compactMap { index in
            slots[index].bucket.load(ordering: .relaxed).map {
                Unmanaged<Bucket>.fromOpaque($0).takeUnretainedValue()
            }
        }
    }
}

extension Bucket {
    /// Whether this is for that topic and subject, their hashes being equal.
    @inline(__always)
    fileprivate func matches(_ topic: Topic, _ subject: Subject) -> Bool {
        topicBits == topic.bits && (!topic.hasName || name == topic.name) && self.subject == subject
    }

    /// Whether this is for the topic of `key`, and a value with the same hash.
    fileprivate func mayMatch(_ key: Key) -> Bool {
        hash == key.hash && topicBits == key.topic.bits
            && (!key.topic.hasName || name == key.topic.name)
            && subject.isValue && subject.bits == key.subject.bits
    }

    /// Whether this is for that message type and any subject.
    @inline(__always)
    fileprivate func matches(type topic: Topic) -> Bool {
        topicBits == topic.bits && subject.isNone
    }
}

/// The header of a ``RegistryTable``, before its slots.
struct RegistryTableHeader {
    let mask: UInt
    var count = 0
}

struct RegistryTableSlot: ~Copyable {
    /// Written before `bucket`, constant afterwards.
    let hash = Atomic<UInt>(0)
    let bucket = Atomic<UnsafeRawPointer?>(nil)
}

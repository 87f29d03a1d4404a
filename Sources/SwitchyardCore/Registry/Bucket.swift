// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// All observations of one topic and one subject.
///
/// A registry makes ``RegistryBucket``s. The table, the lists and the latest values need less, and
/// know this.
class Bucket: ObservationOwner, @unchecked Sendable {
    // Sendable: what changes is atomic, or has its guard named beside it.

    // Each name and object has a bucket, so a bucket is small: parts of the key that can be
    // computed are left out, and counts are narrow.
    final let topicBits: UInt
    final let name: String
    /// The hash of topic and subject.
    final let hash: UInt
    final let subject: Subject

    /// The number of live observations that have a priority of their own. Guard for writing: the
    /// registry's lock.
    final let priorities = Atomic<UInt32>(0)
    /// The number of observations that are not removed. Guard: the registry's lock.
    final var live: Int32 = 0
    /// The number of removed observations that are still in the list. Guard: the registry's lock.
    final var dead: Int32 = 0

    /// Whether the topic watcher was told of it: once an observation has come. Guard: the
    /// registry's lock.
    final var isAnnounced = false
    /// Whether the registry keeps a value for observers that come late. Guard: the registry's lock.
    final var retains = false

    /// Keeps the subject's address from being reused.
    final let pin: Pin
    /// The current list; null while there is none. Guard for writing: the registry's lock.
    private let current = Atomic<UnsafeRawPointer?>(nil)

    init(_ key: Key) {
        topicBits = key.topic.bits
        name = key.topic.name
        hash = key.hash
        subject = key.subject
        pin = Pin(key.subject)
        super.init()
    }

    deinit {
        if let list = current.load(ordering: .relaxed) {
            Unmanaged<ObservationList>.fromOpaque(list).release()
        }
    }

    /// The word by which replaced lists of this bucket are found.
    final var identity: UInt { UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }

    /// The hash of the topic alone.
    final var topicHash: UInt { subject.isNone ? hash : topic.hash }

    /// Whether a table can do without it. Guard: the registry's lock.
    final var isEmpty: Bool { live == 0 && !retains }

    final var isForManyNames: Bool { Topic.isForManyNames(topicBits) }

    override final var topic: Topic {
        Topic(bits: topicBits, name: name, keyHash: subject.isNone ? hash : nil)
    }

    /// Whether a live observation has a priority of its own.
    @inline(__always)
    final var hasPriorities: Bool { priorities.load(ordering: .relaxed) != 0 }

    /// The current list's address, for posts to protect and walk.
    @inline(__always)
    final var listAddress: UInt { UInt(bitPattern: current.load(ordering: .acquiring)) }

    /// The current list. Guard: the registry's lock.
    @inline(__always)
    final var list: Unmanaged<ObservationList>? {
        current.load(ordering: .relaxed).map { .fromOpaque($0) }
    }

    /// A copy of the current list without removed observations, with room for more. Guard: the
    /// registry's lock.
    final var compactedList: ObservationList? {
        list?._withUnsafeGuaranteedRef { $0.compacted(live: Int(live)) }
    }

    /// Makes `list` current, and returns the list before it, for the caller to retire. Guard: the
    /// registry's lock.
    final func replaceList(by list: ObservationList?) -> ObservationList? {
        let new = list.map { UnsafeRawPointer(Unmanaged.passRetained($0).toOpaque()) }
        let old = current.exchange(new, ordering: .acquiringAndReleasing)
        return old.map { Unmanaged<ObservationList>.fromOpaque($0).takeRetainedValue() }
    }
}

extension Observation {
    /// The bucket it was added to.
    var bucket: Bucket { unsafeDowncast(owner, to: Bucket.self) }
}

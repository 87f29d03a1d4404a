// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// All observations of one topic and one subject.
final class Bucket: ObservationOwner, @unchecked Sendable {
    // Sendable: what changes is atomic, or has its guard named beside it.

    // Each name and object has a bucket, so a bucket is small: parts of the key that can be
    // computed are left out, and counts are narrow.
    let topicBits: UInt
    let name: String
    /// The hash of topic and subject.
    let hash: UInt
    let subject: Subject

    /// The number of live observations that have a priority of their own. Guard for writing: the
    /// registry's lock.
    let priorities = Atomic<UInt32>(0)
    /// The number of observations that are not removed. Guard: the registry's lock.
    var live: Int32 = 0
    /// The number of removed observations that are still in the list. Guard: the registry's lock.
    var dead: Int32 = 0

    /// Whether the topic watcher was told of it: once an observation has come. Guard: the
    /// registry's lock.
    var isAnnounced = false
    /// Whether the registry keeps a value for observers that come late. Guard: the registry's lock.
    var retains = false

    /// Keeps the subject's address from being reused.
    let pin: Pin
    /// The owner, retained. A cycle through the registry's table, cut when the center goes.
    let registryReference: Unmanaged<Registry>
    /// The current list; null while there is none. Guard for writing: the registry's lock.
    private let current = Atomic<UnsafeRawPointer?>(nil)

    init(_ key: Key, in registry: Registry) {
        topicBits = key.topic.bits
        name = key.topic.name
        hash = key.hash
        subject = key.subject
        registryReference = .passRetained(registry)
        pin = Pin(key.subject)
        super.init()
    }

    deinit {
        if let list = current.load(ordering: .relaxed) {
            Unmanaged<ObservationList>.fromOpaque(list).release()
        }
        registryReference.release()
    }

    /// The word by which replaced lists of this bucket are found.
    var identity: UInt { UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }

    var registry: Registry { registryReference.takeUnretainedValue() }

    /// The hash of the topic alone.
    var topicHash: UInt { subject.isNone ? hash : topic.hash }

    /// Whether a table can do without it. Guard: the registry's lock.
    var isEmpty: Bool { live == 0 && !retains }

    var isForManyNames: Bool { Topic.isForManyNames(topicBits) }

    override var topic: Topic {
        Topic(bits: topicBits, name: name, keyHash: subject.isNone ? hash : nil)
    }

    /// Whether a live observation has a priority of its own.
    @inline(__always)
    var hasPriorities: Bool { priorities.load(ordering: .relaxed) != 0 }

    /// The current list's address, for posts to protect and walk.
    @inline(__always)
    var listAddress: UInt { UInt(bitPattern: current.load(ordering: .acquiring)) }

    /// The current list. Guard: the registry's lock.
    @inline(__always)
    var list: Unmanaged<ObservationList>? {
        current.load(ordering: .relaxed).map { .fromOpaque($0) }
    }

    /// A copy of the current list without removed observations, with room for more. Guard: the
    /// registry's lock.
    var compactedList: ObservationList? {
        list?._withUnsafeGuaranteedRef { $0.compacted(live: Int(live)) }
    }

    /// Makes `list` current, and returns the list before it, for the caller to retire. Guard: the
    /// registry's lock.
    func replaceList(by list: ObservationList?) -> ObservationList? {
        let new = list.map { UnsafeRawPointer(Unmanaged.passRetained($0).toOpaque()) }
        let old = current.exchange(new, ordering: .acquiringAndReleasing)
        return old.map { Unmanaged<ObservationList>.fromOpaque($0).takeRetainedValue() }
    }

    // MARK: For its observations

    override var registryIdentity: UInt { registryReference._withUnsafeGuaranteedRef(\.identity) }

    override func remove(_ observation: Observation) -> WalkedLists {
        registryReference._withUnsafeGuaranteedRef { $0.remove(observation, from: self) }
    }

    override func pausedDeliveries(
        of observation: Observation, makes: Bool
    ) -> PausedDeliveries? {
        registryReference._withUnsafeGuaranteedRef {
            $0.pausedDeliveries(of: observation, makes: makes)
        }
    }

    override var walkedLists: WalkedLists {
        registryReference._withUnsafeGuaranteedRef { $0.lists(of: self) }
    }

    override func report(_ problem: DeliveryProblem) { registry.hooks.report(problem) }

    override func countExpired() {
        registry.hooks.expired.wrappingAdd(1, ordering: .relaxed)
    }
}

extension Observation {
    /// The bucket it was added to.
    var bucket: Bucket { unsafeDowncast(owner, to: Bucket.self) }
}

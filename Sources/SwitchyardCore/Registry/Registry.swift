// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// All registrations of one center.
///
/// Posting threads search it without a lock (see ``HazardRecord``); adding and removing take the
/// lock. No code of the user runs under the lock: equality of values is asked before, and removed
/// objects are kept until the lock is free.
final class Registry: @unchecked Sendable {
    // Sendable: what changes is atomic or behind `state`.

    struct State {
        /// Every registration gets the next number; posts deliver in their order.
        var lastSequence: UInt64 = 0
        /// Changes with every bucket that comes or goes.
        var version = 0
        /// The number of buckets without a live observation and without a value that is kept.
        var emptyBuckets = 0
        var retired = RetiredList()
        var observers = ObserverIndex()
        /// The buckets whose object was found to be dying, each with the time of that.
        var dying: [ObjectIdentifier: UInt64] = [:]
        /// The number of observations that came or went since the last look for such buckets,
        /// roughly.
        var changesSinceLook = 0
        /// The owners of the live observations that have one.
        var owners: [ObjectIdentifier: OwnerReference] = [:]
        /// The deliveries of the live observations that were ever paused.
        var paused: [ObjectIdentifier: PausedDeliveries] = [:]
        /// The number of live observations of patterns of each shape.
        var patterns: [PatternShape: Int] = [:]
        /// The values that are kept for observers that come late.
        var latest = LatestValues()
    }

    let state = Guarded(State())
    /// The table that posts search. Guard for writing: `state`.
    let current: Atomic<UnsafeRawPointer>
    /// The topics that have live observations. Guard for writing: `state`.
    let presence = PresenceFilter()
    /// A retained ``PatternShapes``; null while no pattern is observed. Guard for writing: `state`.
    let currentPatterns = Atomic<UnsafeRawPointer?>(nil)
    /// The number of live observations of any name, or of a pattern. Guard for writing: `state`.
    let anyNameCount = Atomic<Int>(0)
    /// Changes with every observation that comes or goes, so that a match may be kept
    /// (``PostRun``) for as long as it is the same. Guard for writing: `state`.
    let changes = Atomic<UInt>(0)
    /// Told of each topic's first bucket with an observation and of the last; set before the first
    /// registration.
    // Unsafe to the compiler because it is a variable: written once, before the center is shared.
    nonisolated(unsafe) var topicWatcher: (any TopicWatcher)?

    /// Told of the first and last live observation in each bucket; set as above.
    // Unsafe to the compiler as above.
    nonisolated(unsafe) var interestWatcher: (any InterestWatcher)?

    /// The center's hooks. The registry holds them, so that a report needs nothing but the
    /// registration.
    let hooks = CenterHooks()

    /// The mailboxes whose deliveries of this center are watched (``LateWatch``): kept, so that a
    /// queue's does not go with its last observation and come back without its watch.
    let watchedMailboxes = Guarded<[ObjectIdentifier: SharedMailbox]>([:])

    /// Whether there ever was a group.
    let hasGroups = Atomic<Bool>(false)

    /// The groups.
    let groups = Guarded(GroupTable())

    /// The nanoseconds for which the deinit of an observed object may last and still be heard at
    /// its end.
    let longestDeinit = Atomic<UInt64>(100_000_000)

    init() {
        current = Atomic(Self.retained(RegistryTable.make(buckets: 4)))
    }

    deinit {
        Unmanaged<RegistryTable>.fromOpaque(current.load(ordering: .relaxed)).release()
        patterns?.release()
    }

    /// The word that a posting thread publishes in its record while it searches this registry.
    @inline(__always)
    var identity: UInt { UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }

    /// The table; valid while the calling thread's record names this registry, or under the lock.
    @inline(__always)
    var table: Unmanaged<RegistryTable> {
        Unmanaged.fromOpaque(current.load(ordering: .acquiring))
    }

    static func retained(_ table: RegistryTable) -> UnsafeRawPointer {
        UnsafeRawPointer(Unmanaged.passRetained(table).toOpaque())
    }
}

// MARK: - Adding

extension Registry {
    /// Adds `observation`, the last in order, to the bucket of `key`.
    ///
    /// - Complexity: O(1) amortised.
    func add(_ observation: Observation, for key: Key) {
        var garbage = Garbage()
        if key.subject.isValue {
            addByValue(observation, for: key, &garbage)
        } else {
            let state = self.state.acquire()
            add(observation, to: find(key), for: key, &state.pointee, &garbage)
            self.state.release()
        }
        garbage.empty()
    }

    /// Adds an observation of a value. Searches its bucket without the lock, because the equality
    /// of values is the user's code.
    private func addByValue(
        _ observation: Observation, for key: Key, _ garbage: inout Garbage
    ) {
        let known = search(key)
        let state = self.state.acquire()
        let isKnown = known.version == state.pointee.version
        if isKnown { add(observation, to: known.bucket, for: key, &state.pointee, &garbage) }
        self.state.release()
        if !isKnown { addAsking(observation, for: key, &garbage) }
    }

    /// Adds an observation of a value after a search during which buckets came or went. Keeps the
    /// answers of the user's `==`, so that each bucket with the hash of `key` is asked about once,
    /// whatever comes and goes besides.
    @inline(never)
    private func addAsking(
        _ observation: Observation, for key: Key, _ garbage: inout Garbage
    ) {
        withBucket(of: key, &garbage) { bucket, state, garbage in
            add(observation, to: bucket, for: key, &state, &garbage)
        }
    }

    /// Calls `body`, under the lock, with the bucket of `key`; nil if there is none.
    func withBucket<Result>(
        of key: Key, _ garbage: inout Garbage,
        _ body: (Unmanaged<Bucket>?, inout State, inout Garbage) -> Result
    ) -> Result {
        guard key.subject.isValue else {
            return state.withLock { body(find(key), &$0, &garbage) }
        }
        var answers: [ObjectIdentifier: Bool] = [:]
        while true {
            let state = self.state.acquire()
            let candidates = table._withUnsafeGuaranteedRef { $0.candidates(for: key) }
            let new = candidates.filter { answers[ObjectIdentifier($0)] == nil }
            if new.isEmpty {
                defer { self.state.release() }
                let bucket = candidates.first { answers[ObjectIdentifier($0)] == true }
                return body(bucket.map { .passUnretained($0) }, &state.pointee, &garbage)
            }
            self.state.release()
            for bucket in new {
                // Kept, so that no other bucket gets its identity, nor is it destroyed under the
                // lock.
                garbage.keep(bucket)
                answers[ObjectIdentifier(bucket)] = bucket.subject == key.subject
            }
        }
    }

    func add(
        _ observation: Observation, to bucket: Unmanaged<Bucket>?, for key: Key,
        _ state: inout State, _ garbage: inout Garbage
    ) {
        let bucket = bucket ?? insert(key, &state, &garbage)
        bucket._withUnsafeGuaranteedRef { append(observation, to: $0, &state, &garbage) }
        sweep(&state, &garbage)
    }

    /// The bucket of `key`. Under the lock, or while the thread's record names this registry.
    private func find(_ key: Key) -> Unmanaged<Bucket>? {
        table._withUnsafeGuaranteedRef { $0.find(key.topic, key.subject) }
    }

    /// Finds the bucket of `key` without the lock; the result holds until the version changes.
    private func search(_ key: Key) -> (bucket: Unmanaged<Bucket>?, version: Int) {
        let version = state.withLock(\.version)
        let record = HazardRecord.current(roomFor: 0)
        HazardRecord.beginSearch(record, of: identity)
        let bucket = find(key)
        HazardRecord.endSearch(record)
        return (bucket, version)
    }

    /// Adds a bucket; the table keeps it.
    func insert(
        _ key: Key, _ state: inout State, _ garbage: inout Garbage
    ) -> Unmanaged<Bucket> {
        let bucket = RegistryBucket(key, in: self)
        if table._withUnsafeGuaranteedRef(\.isFull) { rebuildTable(&state, &garbage) }
        table._withUnsafeGuaranteedRef { $0.insert(bucket) }
        state.version += 1
        state.emptyBuckets += 1
        return .passUnretained(bucket)
    }

    private func append(
        _ observation: Observation, to bucket: Bucket, _ state: inout State,
        _ garbage: inout Garbage
    ) {
        state.lastSequence += 1
        observation.belongs(to: bucket, sequence: state.lastSequence)
        let list = bucket.list
        if list?._withUnsafeGuaranteedRef({ $0.appendIfRoom(observation) }) != true {
            let longer = bucket.compactedList ?? ObservationList.make(capacity: 1)
            _ = longer.appendIfRoom(observation)
            replaceList(of: bucket, by: longer, &state, &garbage)
        }
        if bucket.live == 0 {
            if bucket.isEmpty { state.emptyBuckets -= 1 }
            presence.add(bucket.topicHash)
            if topicWatcher != nil { announce(bucket) }
            tellInterest(in: bucket, true)
        }
        bucket.live += 1
        if bucket.isForManyNames { countManyNames(of: bucket, 1, &state) }
        if observation.priority != 0 { bucket.priorities.wrappingAdd(1, ordering: .releasing) }
        let observer = observation.observerIdentity
        if observer != 0 { state.observers.insert(observation, under: observer) }
        // Last: who sees this finds the observation.
        noteChange()
    }

    @inline(never)
    private func announce(_ bucket: Bucket) {
        if bucket.isAnnounced { return }
        bucket.isAnnounced = true
        topicWatcher?.topicAppeared(bucket.topic)
    }

    func noteChange() { changes.wrappingAdd(1, ordering: .releasing) }

    @inline(__always)
    func tellInterest(in bucket: Bucket, _ isObserved: Bool) {
        if let interestWatcher {
            interestWatcher.interestChanged(
                bucket.topic, bucket.subject, isObserved: isObserved)
        }
    }
}

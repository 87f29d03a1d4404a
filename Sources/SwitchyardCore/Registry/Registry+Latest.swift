// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

// Values that are kept for observers that come late. Posting one and registering for it are put in
// order by the lock: an observer that was registered before hears the post itself, and one that
// came later hears the value that was kept, never both.
extension Registry {
    /// Keeps `value` as the latest of `key`, unless a later one is kept.
    ///
    /// - Parameter isWanted: whether it may be kept instead of the other one; asked under the lock.
    func retain(
        _ value: AnyRetainedValue, for key: Key,
        if isWanted: (_ other: AnyRetainedValue?) -> Bool = { _ in true }
    ) -> RetainOutcome {
        withBucket(of: key) { found, state, garbage in
            let other = found?._withUnsafeGuaranteedRef { state.latest.value(of: $0) }
            let isLatest = other.map { value.isLater(than: $0) } ?? true
            guard isLatest, isWanted(other) else {
                return RetainOutcome(isKept: false, other: other, last: state.lastSequence)
            }
            let bucket = found ?? insert(key, &state, &garbage)
            bucket._withUnsafeGuaranteedRef { bucket in
                if bucket.isEmpty { state.emptyBuckets -= 1 }
                if let old = state.latest.set(value, of: bucket) { garbage.keep(old) }
            }
            for dead in state.latest.removeDead() { forget(dead, &state, &garbage) }
            return RetainOutcome(isKept: true, other: other, last: state.lastSequence)
        }
    }

    /// The latest value of `key`.
    func latest(for key: Key) -> AnyRetainedValue? {
        withBucket(of: key) { bucket, state, _ in
            bucket?._withUnsafeGuaranteedRef { state.latest.value(of: $0) }
        }
    }

    /// The latest values that an observer of `topic` would hear about a subject that may be equal
    /// to `subject`.
    func latestValues(of topic: Topic, about subject: Subject) -> [AnyRetainedValue] {
        state.withLock { $0.latest.heard(of: topic, about: subject) }
            .sorted { $0.number < $1.number }
            .map(\.value)
    }

    /// Takes out the latest value of `key`, if there is one that `isRemoved` returns true for,
    /// under the lock.
    func removeLatest(
        for key: Key, where isRemoved: (AnyRetainedValue) -> Bool = { _ in true }
    ) -> AnyRetainedValue? {
        withBucket(of: key) { bucket, state, _ in
            bucket?._withUnsafeGuaranteedRef { bucket in
                guard let kept = state.latest.value(of: bucket), isRemoved(kept),
                    let value = state.latest.remove(of: bucket)
                else { return nil }
                if bucket.isEmpty { state.emptyBuckets += 1 }
                return value
            }
        }
    }

    /// Adds `observation`, paused if there are values for it to hear first, so that later posts
    /// come behind them.
    ///
    /// The pause is the caller's to end. It begins before the equality of subjects, which is the
    /// user's code, is asked.
    ///
    /// - Returns: These values, in the order of posting; nil if there are none.
    /// - Complexity: O(1) for one topic and one subject; otherwise O(values that are kept of the
    ///   topic), or, for many names, O(values that are kept), most of it under the lock.
    func addReplaying(_ observation: Observation, for key: Key) -> [AnyRetainedValue]? {
        observation.state.bitwiseOr(Observation.State.replays, ordering: .relaxed)
        // An observer of one topic and subject hears the value of its own bucket, and no other.
        let hearsOne = !key.subject.isNone && !Topic.isForManyNames(key.topic.bits)
        let entries = withBucket(of: key) { bucket, state, garbage in
            let entries =
                hearsOne
                ? state.latest.entries(of: bucket)
                : state.latest.heard(of: key.topic, about: key.subject)
            if !entries.isEmpty { beginPaused(observation, &state) }
            add(observation, to: bucket, for: key, &state, &garbage)
            return entries
        }
        if entries.isEmpty { return nil }
        return
            entries
            .filter { hearsOne || key.subject.isNone || $0.bucket.subject == key.subject }
            .sorted { $0.number < $1.number }
            .map(\.value)
    }

    private func beginPaused(_ observation: Observation, _ state: inout State) {
        let paused = PausedDeliveries(of: observation)
        paused.begin(observation)
        state.paused[ObjectIdentifier(observation)] = paused
        observation.state.bitwiseOr(Observation.State.wasPaused, ordering: .relaxed)
    }

    /// Takes note that a value was taken out because its subject has died.
    func forget(
        _ entry: LatestValues.Entry, _ state: inout State, _ garbage: inout Garbage
    ) {
        garbage.keep(entry.value)
        if entry.bucket.isEmpty { state.emptyBuckets += 1 }
    }

    private func withBucket<Result>(
        of key: Key, _ body: (Unmanaged<Bucket>?, inout State, inout Garbage) -> Result
    ) -> Result {
        var garbage = Garbage()
        let result = withBucket(of: key, &garbage, body)
        garbage.empty()
        return result
    }
}

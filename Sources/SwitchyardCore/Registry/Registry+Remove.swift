// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

// Registrations that end, one by one.
extension Registry {
    /// Takes `observation`, which its caller has cancelled, out of the lists.
    ///
    /// - Returns: The lists that may contain it, for a look at who walks them.
    /// - Complexity: O(1) amortised.
    func remove(_ observation: Observation, from bucket: Bucket) -> WalkedLists {
        var garbage = Garbage()
        let state = self.state.acquire()
        let lists = lists(of: bucket, &state.pointee)
        unlink(observation, from: bucket, &state.pointee, &garbage)
        sweep(&state.pointee, &garbage)
        self.state.release()
        garbage.empty()
        return lists
    }

    /// The addresses of all lists that an observation of `bucket` may be in.
    func lists(of bucket: Bucket) -> WalkedLists {
        state.withLock { lists(of: bucket, &$0) }
    }

    private func lists(of bucket: Bucket, _ state: inout State) -> WalkedLists {
        WalkedLists(
            current: bucket.listAddress, replaced: state.retired.addresses(of: bucket.identity))
    }

    /// Takes note that `observation` is no longer delivered to. Its list still has it.
    func forget(
        _ observation: Observation, in bucket: Bucket, _ state: inout State,
        _ garbage: inout Garbage
    ) {
        noteChange()
        bucket.live -= 1
        bucket.dead += 1
        if bucket.live == 0 {
            if bucket.isEmpty { state.emptyBuckets += 1 }
            presence.remove(bucket.topicHash)
            tellInterest(in: bucket, false)
        }
        if observation.priority != 0 {
            bucket.priorities.wrappingSubtract(1, ordering: .releasing)
        }
        if bucket.isForManyNames { countManyNames(of: bucket, -1, &state) }
        let observer = observation.observerIdentity
        if observer != 0 { state.observers.remove(observation, under: observer) }
        if observation.has(Observation.State.ownedOrPaused) {
            forgetOwnerAndPause(of: observation, &state, &garbage)
        }
    }

    @inline(never)
    private func forgetOwnerAndPause(
        of observation: Observation, _ state: inout State, _ garbage: inout Garbage
    ) {
        let id = ObjectIdentifier(observation)
        state.owners[id] = nil
        // Drops the deliveries that waited.
        if let paused = state.paused.removeValue(forKey: id) { garbage.keep(paused) }
    }

    /// Replaces a list once a part of it is removed observations, so that posts do not wade through
    /// them, at a cost that removing pays for.
    func compactIfDue(
        _ bucket: Bucket, _ state: inout State, _ garbage: inout Garbage
    ) {
        guard bucket.dead > 8 + bucket.live / 4 else { return }
        let rest = bucket.live == 0 ? nil : bucket.compactedList
        replaceList(of: bucket, by: rest, &state, &garbage)
    }

    /// Takes the removed observations out of a list at once, also if they are few.
    func compact(_ bucket: Bucket) {
        var garbage = Garbage()
        state.withLock { state in
            guard bucket.dead > 0, bucket.list != nil else { return }
            let rest = bucket.live == 0 ? nil : bucket.compactedList
            replaceList(of: bucket, by: rest, &state, &garbage)
        }
        garbage.empty()
    }

    private func unlink(
        _ observation: Observation, from bucket: Bucket, _ state: inout State,
        _ garbage: inout Garbage
    ) {
        forget(observation, in: bucket, &state, &garbage)
        compactIfDue(bucket, &state, &garbage)
        let buckets = table._withUnsafeGuaranteedRef(\.count)
        if state.emptyBuckets > 16 + buckets / 2 { rebuildTable(&state, &garbage) }
    }
}

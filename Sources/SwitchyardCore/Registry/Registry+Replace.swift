// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Synchronization

// Replacing what posting threads may be reading, and ending what has died.
extension Registry {
    func replaceList(
        of bucket: Bucket, by list: ObservationList?, _ state: inout State,
        _ garbage: inout Garbage
    ) {
        bucket.dead = 0
        guard let old = bucket.replaceList(by: list) else { return }
        state.retired.add(old, walkedAs: old.address, of: bucket.identity)
        if state.retired.isCollectionDue() { collect(&state, &garbage) }
    }

    /// Replaces the table by one of the right size: without the buckets that are empty, and without
    /// those whose object has died.
    func rebuildTable(_ state: inout State, _ garbage: inout Garbage) {
        let old = table
        let buckets = old._withUnsafeGuaranteedRef(\.buckets)
        for bucket in bucketsToEnd(among: buckets, &state) { endAll(in: bucket, &state, &garbage) }
        for dead in state.latest.removeAllDead() { forget(dead, &state, &garbage) }
        let new = RegistryTable.make(buckets: buckets.count { !$0.isEmpty } + 1)
        for bucket in buckets {
            if !bucket.isEmpty {
                new.insert(bucket)
            } else {
                // Cuts the cycle of the bucket, its list, and its observations.
                replaceList(of: bucket, by: nil, &state, &garbage)
                if bucket.isAnnounced { topicWatcher?.topicDisappeared(bucket.topic) }
            }
        }
        state.version += 1
        state.emptyBuckets = 0
        current.store(Self.retained(new), ordering: .releasing)
        state.retired.add(searched: old.takeRetainedValue())
        collect(&state, &garbage)
    }

    /// Moves what no thread reads any more from retired to `garbage`.
    private func collect(_ state: inout State, _ garbage: inout Garbage) {
        state.retired.collect(unlessSearched: identity) { garbage.keep($0) }
    }
}

// MARK: - Ending what has died

extension Registry {
    /// The buckets with observations whose object has died. An object whose deinit has only begun
    /// may still post about itself, so a bucket is among these when its object has been dying for a
    /// while.
    private func bucketsToEnd(among buckets: [Bucket], _ state: inout State) -> [Bucket] {
        let now = switchyard_now()
        var dying: [ObjectIdentifier: UInt64] = [:]
        var ended: [Bucket] = []
        for bucket in buckets where bucket.live > 0 && bucket.pin.isGone {
            let since = state.dying[ObjectIdentifier(bucket)] ?? now
            if now - since >= longestDeinit.load(ordering: .relaxed) {
                ended.append(bucket)
            } else {
                dying[ObjectIdentifier(bucket)] = since
            }
        }
        state.dying = dying
        return ended
    }

    /// Ends the registrations for an object that died: behind the deliveries that wait, which were
    /// posted before that.
    private func endAll(in bucket: Bucket, _ state: inout State, _ garbage: inout Garbage) {
        guard let list = bucket.list.map({ ObservationListView($0) }) else { return }
        for index in 0..<list.count {
            let observation = list[index].takeUnretainedValue()
            let paused = state.paused[ObjectIdentifier(observation)]
            if observation.isCancelled || observation.keepsDeliveries(paused) { continue }
            if observation.mailboxReference == nil {
                if observation.markCancelled() { end(observation, &state, &garbage) }
            } else if observation.markEnding() {
                garbage.keep(endingBehindMail: observation)
            }
        }
    }

    /// Ends a registration for an object that died, when the deliveries that waited in its mailbox
    /// have been made.
    func endBehindMail(_ observation: Observation) {
        let id = ObjectIdentifier(observation)
        let paused = state.withLock { $0.paused[id] }
        if !observation.keepsDeliveries(paused) { return observation.cancel() }
        // A pause has kept some. A later look ends it.
        observation.markGoingOn()
    }

    private func end(_ observation: Observation, _ state: inout State, _ garbage: inout Garbage) {
        forget(observation, in: observation.bucket, &state, &garbage)
        garbage.keep(cancelled: observation)
    }

    /// Frees what nobody reads any more and ends what died, at a cost that adding pays for.
    func sweep(_ state: inout State, _ garbage: inout Garbage) {
        if state.retired.isCollectionDue() { collect(&state, &garbage) }
        if state.observers.isLookDue() { endDead(&state, &garbage) }
    }

    /// The number of changes between two looks at the objects of a small table.
    private static var fewestChanges: Int { 128 }

    /// Ends the observations whose observer has died, and, once there were as many changes as there
    /// are buckets, those whose object has.
    @inline(never)
    private func endDead(_ state: inout State, _ garbage: inout Garbage) {
        state.changesSinceLook += state.observers.changesBetweenLooks
        for observation in state.observers.takeDead() where observation.markCancelled() {
            end(observation, &state, &garbage)
            compactIfDue(observation.bucket, &state, &garbage)
        }
        let due = Self.fewestChanges + table._withUnsafeGuaranteedRef(\.count)
        guard state.changesSinceLook >= due else { return }
        state.changesSinceLook = 0
        for dead in state.latest.removeAllDead() { forget(dead, &state, &garbage) }
        let buckets = table._withUnsafeGuaranteedRef(\.buckets)
        for bucket in bucketsToEnd(among: buckets, &state) {
            endAll(in: bucket, &state, &garbage)
            compactIfDue(bucket, &state, &garbage)
        }
    }

    /// Ends the registry with its center: nothing is found any more, and no cycle keeps it.
    func close() {
        var garbage = Garbage()
        endWatches()
        // Tokens keep registrations, and these keep the registry. The hooks go with the center,
        // unless a delivery is still to be reported.
        let ending = observations
        let isBusy = ending.contains(where: \.isBusy) || hasMovingGroups
        state.withLock { state in
            for bucket in table._withUnsafeGuaranteedRef(\.buckets) {
                replaceList(of: bucket, by: nil, &state, &garbage)
                if bucket.isAnnounced { topicWatcher?.topicDisappeared(bucket.topic) }
            }
            state.observers = ObserverIndex()
            state.owners = [:]
            for (observation, paused) in state.paused where paused.centerEnds() {
                garbage.keep(paused)
                state.paused[observation] = nil
            }
            for value in state.latest.removeAll() { garbage.keep(value) }
            state.retired.add(searched: table.takeRetainedValue())
            current.store(Self.retained(RegistryTable.make(buckets: 0)), ordering: .releasing)
            noteChange()
            collect(&state, &garbage)
        }
        // Sequences first: the end of what was kept may be the user's code, which may end the thread.
        for observation in ending { observation.tellCenterEnded() }
        // A delivery that a pause has kept knows its observation's bound, and does not hold it.
        withExtendedLifetime(ending) { garbage.empty() }
        if !isBusy { hooks.clear() }
    }
}

extension Observation {
    /// Whether a delivery is being made, waits in the mailbox or is put off by a pace.
    fileprivate var isBusy: Bool {
        isInFlight || (mailbox?.depth ?? 0) > 0 || flow?.isPutOff == true
    }

    /// Whether deliveries that end with the observation wait elsewhere than in its mailbox: in a
    /// pause, for their time, or for room.
    ///
    /// - Parameter paused: the deliveries that a pause keeps.
    fileprivate func keepsDeliveries(_ paused: PausedDeliveries?) -> Bool {
        if let paused, !paused.isIdle { return true }
        return flow?.isPutOff == true
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

extension Registry {
    /// The live observations, in order of registration.
    var observations: [Observation] {
        var found: [Observation] = []
        state.withLock { _ in
            for bucket in table._withUnsafeGuaranteedRef(\.buckets) {
                guard let list = bucket.list.map({ ObservationListView($0) }) else { continue }
                for index in 0..<list.count {
                    let observation = list[index].takeUnretainedValue()
                    if !observation.isCancelled { found.append(observation) }
                }
            }
        }
        return found.sorted { $0.sequence < $1.sequence }
    }
}

extension Registry {
    /// The addresses of the live observations, in no order. None is retained, so that somebody may
    /// ask often beside many observations.
    var addresses: [UInt] {
        var found: [UInt] = []
        state.withLock { _ in
            for bucket in table._withUnsafeGuaranteedRef(\.buckets) {
                guard let list = bucket.list.map({ ObservationListView($0) }) else { continue }
                for index in 0..<list.count {
                    let observation = list[index]
                    if observation._withUnsafeGuaranteedRef({ $0.isCancelled }) { continue }
                    found.append(UInt(bitPattern: observation.toOpaque()))
                }
            }
        }
        return found
    }
}

extension Registry {
    /// Notes whose `observation` is, before it is added.
    func setOwner(_ owner: OwnerReference, of observation: Observation) {
        observation.state.bitwiseOr(Observation.State.owned, ordering: .relaxed)
        state.withLock { $0.owners[ObjectIdentifier(observation)] = owner }
    }

    /// The owner of `observation`, if it has one and has not ended.
    func owner(of observation: Observation) -> OwnerReference? {
        guard observation.has(Observation.State.owned) else { return nil }
        return state.withLock { $0.owners[ObjectIdentifier(observation)] }
    }
}

extension CenterSnapshot.Entry {
    /// - Parameter isPlain: whether an observed value is shown without its own description, because
    ///   the caller is not a thread of the user's.
    init(_ observation: Observation, isPlain: Bool = false) {
        let bucket = observation.bucket
        let mailbox = observation.mailbox
        let registeredOwner = observation.owner.registeredOwner(of: observation)
        owner = registeredOwner?.typeName
        ownerIsGone = registeredOwner?.isGone ?? false
        objectIsGone = bucket.pin.isGone
        topic = bucket.topic.description
        let subject = bucket.subject
        object =
            (isPlain ? subject.plainDescription : subject.description)
            + (objectIsGone ? " (dead)" : "")
        context = mailbox?.label ?? "the posting thread"
        origin = observation.origin
        sequence = observation.sequence
        options = observation.options
        isInFlight = observation.isInFlight
        isPaused = observation.isPaused
        delivered = observation.delivered.load(ordering: .relaxed)
        lost = observation.lost.load(ordering: .relaxed)
        replaced = observation.flow?.replaced ?? 0
        filtered = observation.flow?.filtered ?? 0
        hasCondition = observation.flow?.isFiltered ?? false
        contextHasEnded = mailbox?.isClosed ?? false
        contextBound = mailbox?.quota?.bound
        highWaterMark = mailbox?.highWaterMark
        // After `isInFlight`: to look at the handler counts as being inside of it.
        let look = HandlerLook(observation)
        handler = look?.words ?? "a handler that has been released"
        role = look?.role ?? .other
        consumed = look?.consumed ?? 0
        queueDepth = mailbox?.depth ?? look?.waiting ?? 0
        isUnboundedSequence = mailbox == nil && look?.keepsAll == true
        observerIsGone = look?.observerIsGone ?? false
        identity = Identity(
            registrations: bucket.identity, mailbox: mailbox.map { ObjectIdentifier($0) },
            observer: observation.observerIdentity, owner: registeredOwner?.identity)
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore

// Notifications that are posted here: the choice of a process for each group.
extension GroupExchange {
    /// Gives a notification to the processes that were chosen to hear it for a group.
    ///
    /// - Returns: The groups whose members here do not hear it; nil if that is none.
    func give(
        _ name: String, _ object: String?, _ payload: DistributedPayload, isImmediate: Bool
    ) -> Set<String>? {
        let candidates = candidates(.name(name), object)
        if candidates.isEmpty { return nil }
        var elsewhere: Set<String> = []
        for (group, candidates) in candidates {
            let job = GroupFrame.Job(
                0, for: group, name, object, payload, isImmediate: isImmediate)
            if give(job, to: candidates) { elsewhere.insert(group) }
        }
        return elsewhere.isEmpty ? nil : elsewhere
    }

    /// Returns the processes that can hear a notification, for each group that has members in others, this one included.
    private func candidates(
        _ topic: Topic, _ object: String?
    ) -> [String: [RemoteGroups.Candidate]] {
        var all = state.withLock { $0.remote.candidates(topic, object) }
        // While the center is suspended, others are idle.
        if all.isEmpty || suspension.isSuspended { return all }
        for group in all.keys {
            let load = engine.load(of: group, topic, Subject(optional: object))
            if load.members == 0 { continue }
            all[group]?.append(
                RemoteGroups.Candidate(
                    process: nil, members: load.members, load: load.deliveries))
        }
        return all
    }

    /// Gives a job to one of several processes.
    ///
    /// - Parameter tried: those that have no member any more.
    /// - Returns: Whether another process has it; false if this one is to deliver it.
    private func give(
        _ job: GroupFrame.Job, to candidates: [RemoteGroups.Candidate], tried: Set<String> = [],
        isUnwanted: Bool = false
    ) -> Bool {
        var job = job
        let (process, sender) = state.withLock { state -> (String?, CenterSender?) in
            guard let sender = state.sender,
                let process = state.remote.choose(job.group, from: candidates)?.process
            else { return (nil, nil) }
            if state.given.count < Self.mostGiven {
                state.lastNumber += 1
                job.number = state.lastNumber
                state.given[job.number] = GivenJob(
                    process: process, job: job, tried: tried, isUnwanted: isUnwanted)
            }
            return (process, sender)
        }
        guard let process, let sender else { return false }
        do {
            try sender.send(CenterNames.answers, process, DistributedPayload(userInfo: job.info))
        } catch {
            forget(job.number)
            engine.report(
                DeliveryProblem(
                    .notDistributable,
                    "a notification named \"\(job.name)\" can't be given to a member of the group "
                        + "\"\(job.group)\" in another process, and goes to one here, if there is any: \(error)",
                    error: error, topic: "\"\(job.name)\""))
            return false
        }
        return true
    }

    @discardableResult
    private func forget(_ number: UInt64) -> GivenJob? {
        state.withLock { state in
            guard let given = state.given.removeValue(forKey: number) else { return nil }
            state.remote.handled(given.job.group, by: given.process, load: 0)
            return given
        }
    }

    /// Takes what became of a job, and has another process hear it if that one has no member any more.
    func take(_ outcome: GroupFrame.Outcome, from peer: DistributedPeer) {
        let given = state.withLock { state -> GivenJob? in
            guard let given = state.given[outcome.number], given.process == peer.id else {
                return nil
            }
            state.given[outcome.number] = nil
            state.remote.handled(given.job.group, by: peer.id, load: outcome.load)
            return given
        }
        guard let given, outcome.result != .handled else { return }
        chooseAgain(
            given.job, tried: given.tried.union([peer.id]),
            isUnwanted: given.isUnwanted || outcome.result == .notWanted)
    }

    /// - Parameter isUnwanted: whether the conditions of members do not let it in.
    private func chooseAgain(_ job: GroupFrame.Job, tried: Set<String>, isUnwanted: Bool) {
        let candidates = candidates(.name(job.name), job.object)[job.group] ?? []
        let rest = candidates.filter { candidate in
            candidate.process.map { !tried.contains($0) } ?? true
        }
        if give(job, to: rest, tried: tried, isUnwanted: isUnwanted) { return }
        deliver(job, from: nil) { [engine] result in
            if result != .noMember || isUnwanted { return }
            engine.report(
                DeliveryProblem(
                    .undeliverable,
                    "no member of the group \"\(job.group)\" is left to hear a notification named \"\(job.name)\"",
                    topic: "\"\(job.name)\""))
        }
    }
}

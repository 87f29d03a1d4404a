// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore

// Notifications that are posted here: the choice of a process for each group.
extension GroupExchange {
    /// A notification that is posted here, for the groups that have members in other processes.
    struct Choice {
        /// These groups.
        let groups: Set<String>
        /// The jobs for members here.
        var here: [OwnJob] = []
    }

    /// A job for a member of this process.
    struct OwnJob {
        let job: GroupFrame.Job
        /// The processes that had no room for it, and are not asked again.
        fileprivate let attempt: Attempt

        var group: String { job.group }
    }

    /// Gives a notification to the processes that were chosen to hear it for a group.
    ///
    /// - Returns: Nil if no group has members in other processes that hear it.
    func give(
        _ name: String, _ object: String?, _ payload: DistributedPayload, isImmediate: Bool,
        _ context: [String: String]
    ) -> Choice? {
        let candidates = candidates(.name(name), object)
        if candidates.isEmpty { return nil }
        var choice = Choice(groups: Set(candidates.keys))
        for (group, candidates) in candidates {
            let job = GroupFrame.Job(
                0, for: group, name, object, payload, isImmediate: isImmediate)
            var attempt = Attempt(context: context)
            if !give(job, to: candidates, &attempt) {
                choice.here.append(OwnJob(job: job, attempt: attempt))
            }
        }
        return choice
    }

    /// Takes note of what became of a notification for a member here. If none has heard it, another
    /// process does.
    func isOver(_ own: OwnJob, _ result: GroupFrame.Result) {
        if result == .handled { return }
        var attempt = own.attempt
        attempt.tried.insert(nil)
        attempt.isUnwanted = result == .notWanted
        chooseAgain(own.job, attempt)
    }

    /// Returns the processes that can hear a notification, for each group that has members in
    /// others, this one included.
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
    /// - Parameter attempt: gets the processes that had no room.
    /// - Returns: Whether another process has it; false if this one is to deliver it.
    private func give(
        _ job: GroupFrame.Job, to candidates: [RemoteGroups.Candidate], _ attempt: inout Attempt
    ) -> Bool {
        var job = job
        while true {
            let rest = candidates.filter { !attempt.tried.contains($0.process) }
            guard let (process, sender) = choose(&job, from: rest, attempt) else { return false }
            do {
                let result = try sender.ask(
                    CenterNames.answers, process, DistributedPayload(userInfo: job.info),
                    context: attempt.context)
                let isKept = result.kept.contains(process)
                if isKept || isSent(result, sender), noteSent(job.number, isKept: isKept) {
                    lookAfterProcesses(sender)
                    return true
                }
            } catch {
                report(error, job)
            }
            forget(job.number)
            attempt.tried.insert(process)
        }
    }

    /// Whether a job went to a connection to its process. A transport with a server between does
    /// not know.
    private func isSent(_ result: DistributedAskResult, _ sender: CenterSender) -> Bool {
        result.dropped == 0 && (!result.asked.isEmpty || !sender.noticesEnds)
    }

    /// Chooses a process, which is not this one, and gives the job a number.
    private func choose(
        _ job: inout GroupFrame.Job, from candidates: [RemoteGroups.Candidate], _ attempt: Attempt
    ) -> (process: String, sender: CenterSender)? {
        state.withLock { state in
            guard let sender = state.sender,
                let process = state.remote.choose(job.group, from: candidates)?.process
            else { return nil }
            state.lastNumber += 1
            job.number = state.lastNumber
            var given = GivenJob(
                process: process, group: job.group, job: job, attempt: attempt,
                isAway: state.remote.isAway(process))
            if state.givenBytes + given.bytes > Self.mostGivenBytes { given.dropJob() }
            state.givenBytes += given.bytes
            state.given[job.number] = given
            state.remote.give(job.group, to: process)
            return (process, sender)
        }
    }

    /// Notes that a job is on its way. If its process has gone meanwhile, and may have got the job,
    /// the job is lost.
    ///
    /// - Parameter isKept: Whether there was no connection to the process when the job was given:
    ///   it waits for one.
    /// - Returns: False if the process has gone, and has not got the job.
    private func noteSent(_ number: UInt64, isKept: Bool) -> Bool {
        var (isLost, mayBeLost) = (false, false)
        let isGiven = state.withLock { state in
            // The outcome may have come already.
            guard var given = state.given[number] else { return true }
            let waits = isKept && given.returns == 0
            if given.hasGone {
                if waits { return false }
                isLost = state.removeGiven(number) != nil
                return true
            }
            // One return made the connection to which the job went. After another, its outcome may
            // never come.
            let isUncertain = given.returns > (isKept || given.isAway ? 1 : 0)
            given.isAway = waits
            given.isSent = true
            if isUncertain {
                state.givenBytes -= given.bytes
                given.becomeUncertain()
                mayBeLost = true
            }
            state.given[number] = given
            return true
        }
        if mayBeLost { limitUncertainty() }
        if isLost { reportEnded(with: 1) }
        return isGiven
    }

    private func forget(_ number: UInt64) {
        state.withLock { state in
            guard let given = state.removeGiven(number) else { return }
            state.remote.take(given.group, from: given.process, load: nil)
        }
    }

    private func report(_ error: any Error, _ job: GroupFrame.Job) {
        engine.report(
            DeliveryProblem(
                .notDistributable,
                "a notification named \"\(job.name)\" can't be given to a member of the group \"\(job.group)\" in "
                    + "another process, and goes to one elsewhere: \(error)",
                error: error, topic: "\"\(job.name)\""))
    }

    /// Takes what became of a job, and has another process hear it if that one can't.
    func take(_ outcome: GroupFrame.Outcome, from peer: DistributedPeer) {
        let given = state.withLock { state -> GivenJob? in
            guard state.given[outcome.number]?.process == peer.id else { return nil }
            let given = state.removeGiven(outcome.number)
            if let given {
                state.remote.take(
                    given.group, from: peer.id, load: outcome.load,
                    // No longer counted since the connection broke.
                    isCounted: given.uncertainSince == nil)
            }
            return given
        }
        guard var given, outcome.result != .handled else { return }
        given.attempt.tried.insert(peer.id)
        given.attempt.isUnwanted = given.attempt.isUnwanted || outcome.result == .notWanted
        if let job = given.job {
            chooseAgain(job, given.attempt)
        } else if !given.attempt.isUnwanted {
            report(1, "the chosen process can't hear it, and it was not kept to choose another")
        }
    }

    func chooseAgain(_ job: GroupFrame.Job, _ attempt: Attempt) {
        let candidates = candidates(.name(job.name), job.object)[job.group] ?? []
        var attempt = attempt
        if give(job, to: candidates, &attempt) { return }
        if attempt.tried.contains(nil) { return giveUp(job, attempt) }
        engine.bringing(attempt.context) {
            // Weak, because a suspended center keeps the job, and this.
            deliver(job, from: nil) { [weak self, tried = attempt] result in
                guard let self, result != .handled else { return }
                var attempt = tried
                attempt.tried.insert(nil)
                attempt.isUnwanted = attempt.isUnwanted || result == .notWanted
                chooseAgain(job, attempt)
            }
        }
    }

    /// Reports that there is no member, unless members did not want to hear it.
    private func giveUp(_ job: GroupFrame.Job, _ attempt: Attempt) {
        if !attempt.isUnwanted { reportNoMember(job) }
    }

    func reportNoMember(_ job: GroupFrame.Job) {
        // Both may be the word of another process.
        let (group, name) = (job.group.shortened(to: 200).shown, job.name.shown)
        engine.report(
            DeliveryProblem(
                .undeliverable,
                "no member of the group \"\(group)\" is left to hear a notification named \"\(name)\"",
                topic: "\"\(name)\""))
    }

    // MARK: - Processes that end without a word

    private func lookAfterProcesses(_ sender: CenterSender) {
        if sender.noticesEnds { return }
        let isFirst = state.withLock { state in
            defer { state.isLookedAfter = true }
            return !state.isLookedAfter
        }
        if !isFirst { return }
        sender.lookAfter { [weak self] number in self?.takeProcesses(until: number) }
    }

    /// Returns the processes that have not answered for jobs up to a number, and the number of the
    /// last job; nil if there is none.
    private func takeProcesses(until number: UInt64) -> (processes: Set<String>, latest: UInt64)? {
        state.withLock { state in
            if state.given.isEmpty {
                state.isLookedAfter = false
                return nil
            }
            let late = state.given.filter { $0.key <= number }
            return (Set(late.values.map(\.process)), state.lastNumber)
        }
    }
}

extension GroupFrame.Result {
    /// The result of a job that a suspended center kept.
    init(_ end: HeldNotification.End) {
        switch end {
        case .delivered(let receipt): self.init(receipt)
        // Nobody else is to hear it, either.
        case .superseded: self = .handled
        case .givenUp: self = .noMember
        }
    }

    /// The result of a delivery to a group.
    init(_ receipt: PostReceipt) {
        let heard = receipt.delivered + receipt.queued + receipt.dropped + receipt.refused
        self = heard > 0 ? .handled : receipt.filtered > 0 ? .notWanted : .noMember
    }
}

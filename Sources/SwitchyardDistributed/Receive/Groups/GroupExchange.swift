// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore
internal import Synchronization

/// Groups with members in several processes: the process that posts a notification chooses one
/// process for each group, and that one its member.
///
/// So groups here ignore the ordinary notifications of a process that chooses. If that process has
/// chosen this one, it sends the notification once more, as a job for the group. This process
/// answers when a member has handled the job, so that the other knows which processes are idle.
final class GroupExchange: Sendable {
    struct State: Sendable {
        /// The way to other processes; nil if there is none.
        var sender: CenterSender?
        var remote = RemoteGroups()
        /// The processes that choose.
        var choosing: Set<String> = []
        /// The last processes that have ended. While they are remembered, they stay in `choosing`,
        /// because notifications that they posted may still arrive.
        var gone = Remembered<String>()
        var lastNumber: UInt64 = 0
        /// The jobs that others have been given, and have not answered for.
        var given: [UInt64: GivenJob] = [:]
        /// The number of bytes that they take.
        var givenBytes = 0
        /// Whether a task looks after the processes that have been given jobs.
        var isLookedAfter = false
        /// Whether a time limit gives up jobs whose outcome may never come.
        var hasLimit = false

        mutating func removeGiven(_ number: UInt64) -> GivenJob? {
            guard let given = given.removeValue(forKey: number) else { return nil }
            givenBytes -= given.bytes
            return given
        }

        /// Takes note that there is a connection to a process again: it has got what was given
        /// meanwhile, and may have lost what was given before.
        mutating func isBack(_ process: String) {
            remote.isBack(process)
            for number in given.filter({ $0.value.process == process }).keys {
                if given[number]?.isSent == false {
                    // The thread that gives it knows whether it went to a connection before.
                    given[number]?.returns += 1
                } else if let job = given[number], job.isAway {
                    given[number]?.isAway = false
                    // It has got the job now.
                    remote.give(job.group, to: process)
                } else {
                    givenBytes -= given[number]?.bytes ?? 0
                    given[number]?.becomeUncertain()
                }
            }
        }

        /// Takes note that there is a connection to a process that was taken for gone: it has got
        /// the jobs that were kept for it.
        mutating func isBackFromEnd(_ process: String) {
            for (number, job) in given where job.process == process && job.hasGone {
                given[number]?.returns += 1
            }
        }

        /// Removes the jobs whose outcome did not come although the connection broke before `time`.
        ///
        /// - Returns: Their number.
        mutating func takeUncertain(since time: ContinuousClock.Instant) -> Int {
            let numbers = given.filter { $0.value.uncertainSince.map { $0 <= time } ?? false }
            for number in numbers.keys { _ = removeGiven(number) }
            return numbers.count
        }

        /// Removes the jobs that were kept for a process to which there is no connection.
        mutating func takeKept(for process: String) -> [GivenJob] {
            for (number, job) in given where job.process == process && !job.isSent {
                // It may have been kept as well, and its giver does not know yet: whatever way it
                // went, its outcome may never come.
                given[number]?.returns += 2
            }
            let numbers = given.filter {
                $0.value.process == process && $0.value.isSent && $0.value.isAway
            }
            return numbers.keys.sorted().compactMap { removeGiven($0) }
        }
    }

    /// The most bytes that are kept for others that may have to be chosen.
    static let mostGivenBytes = 64 * 1024 * 1024

    let engine: NotificationEngine
    let suspension: Suspension
    let local: LocalGroups
    let state = Guarded(State())
    /// Whether another process has a group.
    private let hasRemote = Atomic<Bool>(false)
    private let isConnected = Atomic<Bool>(false)
    /// The time after a break within which the outcome of a job has to come; longer than most
    /// handlers take.
    private let outcomeLimit: Duration

    init(
        _ engine: NotificationEngine, _ interest: LocalInterest, _ suspension: Suspension,
        outcomeLimit: Duration = .seconds(600)
    ) {
        self.engine = engine
        self.suspension = suspension
        self.outcomeLimit = outcomeLimit
        local = LocalGroups(interest)
    }

    /// Connects with other processes, and tells them of the groups here.
    func connect(_ sender: CenterSender) {
        state.withLock { $0.sender = sender }
        isConnected.store(true, ordering: .relaxed)
        local.share()
    }

    /// Whether a post may have to go to a member of another process.
    var isShared: Bool { hasRemote.load(ordering: .relaxed) }

    /// Whether a notification from another process may have to be kept from groups here.
    @inline(__always)
    var mayBeChosen: Bool { engine.hasGroups && isConnected.load(ordering: .relaxed) }

    /// The groups here of which a member hears a notification from another process.
    func audience(from sender: DistributedPeer) -> Audience.Groups {
        state.withLock { $0.choosing.contains(sender.id) } ? .none : .all
    }

    /// Takes a notification of another center about groups.
    ///
    /// - Returns: False if it is about something else.
    func take(_ info: [AnyHashable: Any], from peer: DistributedPeer) -> Bool {
        if let job = GroupFrame.Job(info) {
            take(job, from: peer)
        } else if let outcome = GroupFrame.Outcome(info) {
            take(outcome, from: peer)
        } else {
            return false
        }
        return true
    }

    // MARK: - Other processes

    /// Takes note that a process chooses the members of groups that hear what it posts. It is there,
    /// also if it had seemed to be gone.
    func chooses(_ process: String) {
        state.withLock { state in
            state.choosing.insert(process)
            state.gone.remove(process)
        }
    }

    /// Takes note of all interests of a process.
    func set(_ news: GroupNews, of process: String) {
        if news.chooses { chooses(process) }
        state.withLock { state in
            if state.remote.isAway(process) {
                state.isBack(process)
            } else {
                state.isBackFromEnd(process)
            }
            state.remote.set(news.groups, of: process)
            hasRemote.store(!state.remote.isEmpty, ordering: .relaxed)
        }
        limitUncertainty()
    }

    /// Takes note that the connection to a process has ended.
    func isAway(_ process: String) { change { $0.isAwayNow(process) } }

    /// Takes note of an interest that a process has gained or lost.
    func change(_ interest: DistributedInterest, of process: String, isThere: Bool) {
        guard let group = GroupInterest(interest) else { return }
        change { isThere ? $0.add(group, of: process) : $0.remove(group, of: process) }
    }

    private func change(_ change: (inout RemoteGroups) -> Void) {
        state.withLock { state in
            change(&state.remote)
            hasRemote.store(!state.remote.isEmpty, ordering: .relaxed)
        }
    }

    /// Takes note that a process has gone: others hear what it has not got, and what it has not
    /// answered for is reported.
    func hasGone(_ process: String) {
        let left = state.withLock { state in
            if let oldest = state.gone.add(process) { state.choosing.remove(oldest) }
            state.remote.forget(process)
            hasRemote.store(!state.remote.isEmpty, ordering: .relaxed)
            let numbers = state.given.filter { $0.value.process == process }.keys.sorted()
            return numbers.compactMap { number -> GivenJob? in
                guard let given = state.given[number], given.isSent else {
                    state.given[number]?.hasGone = true
                    return nil
                }
                return state.removeGiven(number)
            }
        }
        var lost = 0
        for given in left {
            if given.isAway, let job = given.job {
                chooseAgain(job, given.attempt)
            } else {
                lost += 1
            }
        }
        if lost > 0 { reportEnded(with: lost) }
    }

    /// Takes note that what was kept for a process is given up, under the mesh's lock.
    ///
    /// - Returns: The jobs among that, for ``chooseAgain(_:)``.
    func takeKept(for process: String) -> [GivenJob] {
        state.withLock { $0.takeKept(for: process) }
    }

    /// Has others hear jobs that a process has not got. Those of which too much was kept are
    /// reported.
    func chooseAgain(_ left: [GivenJob]) {
        var lost = 0
        for given in left {
            if let job = given.job { chooseAgain(job, given.attempt) } else { lost += 1 }
        }
        if lost > 0 { report(lost, "what waited for a process was given up") }
    }

    func reportEnded(with count: Int) {
        report(count, "a process has ended with them: they may not have been handled")
    }

    /// Takes note that the connection to a server was lost, with what was under way to and from all
    /// processes.
    func connectionIsBack() {
        state.withLock { state in
            // Without a server, each process is known to be back.
            guard state.sender?.noticesEnds == false else { return }
            for process in Set(state.given.values.map(\.process)) { state.isBack(process) }
        }
        limitUncertainty()
    }

    /// Sets a limit for the jobs whose outcome may have been lost with a connection, unless there is
    /// one.
    func limitUncertainty() {
        let end = state.withLock { state -> ContinuousClock.Instant? in
            guard !state.hasLimit,
                let oldest = state.given.values.compactMap(\.uncertainSince).min()
            else { return nil }
            state.hasLimit = true
            return oldest + outcomeLimit
        }
        guard let end else { return }
        Task.detached { [weak self] in
            try? await Task.sleep(until: end, clock: .continuous)
            self?.endUncertainty()
        }
    }

    private func endUncertainty() {
        state.withLock { $0.hasLimit = false }
        reportUncertain()
        limitUncertainty()
    }

    /// Reports the jobs whose outcome was probably lost with a connection.
    private func reportUncertain() {
        let lost = state.withLock { $0.takeUncertain(since: .now - outcomeLimit) }
        if lost > 0 {
            report(lost, "the connection broke with them: they may not have been handled")
        }
    }

    /// Reports notifications that no member may have heard.
    func report(_ count: Int, _ reason: String) {
        engine.report(
            DeliveryProblem(
                .distributedLoss,
                "\(count) notifications for members of a group are lost: \(reason)",
                count: count))
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import SwitchyardCore

/// The groups of other processes, and the jobs that each has been given.
struct RemoteGroups: Sendable {
    /// A process, or this one, that can hear a notification for a group.
    struct Candidate: Sendable {
        /// The process; nil for this one.
        let process: String?
        let members: Int
        /// The number of deliveries that its members have to make.
        let load: Int
        /// Whether there is no connection to it, so that it may have gone.
        var isAway = false
        /// Whether its center is suspended.
        var isSuspended = false
    }

    /// The part of a process in a group.
    private struct Share: Sendable, Hashable {
        let process: String?
        let group: String
    }

    /// The work of a process for a group.
    private struct Work: Sendable {
        /// The number of notifications that this process has given it, and that it has not answered
        /// for.
        var given = 0
        /// The number of deliveries that it has told of with its last answer.
        var told = 0
        /// The time of its last answer, or of the first that it was given since it had nothing to
        /// do.
        var time = ContinuousClock.now
        /// The number of the last choice.
        var lastChoice: UInt64 = 0

        /// The number of deliveries that it has to make, as far as that is known. Others may have
        /// given it more, but not for ever.
        func load(at now: ContinuousClock.Instant) -> Int {
            if isStale(at: now) { return 0 }
            return now - time < .seconds(1) ? max(given, told) : given
        }

        /// Whether the process has not answered for ten minutes, so that its answers were probably
        /// lost. It then counts as idle, and can be chosen again. The limit is longer than most
        /// handlers take: a busy process is not idle.
        func isStale(at now: ContinuousClock.Instant) -> Bool {
            given > 0 && now - time > .seconds(600)
        }
    }

    /// The members of a process that hear the same notifications.
    private struct Members: Sendable, Hashable {
        let process: String
        let interest: GroupInterest
    }

    /// The processes to which there is no connection now.
    private var away: Set<String> = []
    private var interests: [String: Set<GroupInterest>] = [:]
    /// The members that hear one name, by that name.
    private var named: [String: Set<Members>] = [:]
    /// The members that hear several names.
    private var broad: Set<Members> = []
    private var work: [Share: Work] = [:]
    private var choices: UInt64 = 0

    var isEmpty: Bool { interests.isEmpty }

    // MARK: - The groups of other processes

    /// Sets the groups of a process.
    mutating func set(_ interests: [GroupInterest], of process: String) {
        let (old, new) = (self.interests[process] ?? [], Set(interests))
        for interest in old.subtracting(new) { remove(interest, of: process) }
        for interest in new.subtracting(old) { add(interest, of: process) }
    }

    mutating func add(_ interest: GroupInterest, of process: String) {
        guard interests[process, default: []].insert(interest).inserted else { return }
        let members = Members(process: process, interest: interest)
        if let name = interest.key.name {
            named[name, default: []].insert(members)
        } else {
            broad.insert(members)
        }
    }

    mutating func remove(_ interest: GroupInterest, of process: String) {
        guard interests[process]?.remove(interest) != nil else { return }
        if interests[process]?.isEmpty == true { interests[process] = nil }
        let members = Members(process: process, interest: interest)
        if let name = interest.key.name {
            named[name]?.remove(members)
            if named[name]?.isEmpty == true { named[name] = nil }
        } else {
            broad.remove(members)
        }
    }

    /// Takes note that there is no connection to a process.
    mutating func isAwayNow(_ process: String) { away.insert(process) }

    /// Takes note that there is a connection to a process again. Jobs that were on their way may be
    /// lost, and never be answered for.
    mutating func isBack(_ process: String) {
        away.remove(process)
        for share in work.keys where share.process == process { work[share]?.given = 0 }
    }

    func isAway(_ process: String) -> Bool { away.contains(process) }

    /// Forgets a process that has gone.
    mutating func forget(_ process: String) {
        away.remove(process)
        set([], of: process)
        work = work.filter { $0.key.process != process }
    }

    // MARK: - Choosing

    /// Returns the processes that can hear a notification, for each group.
    func candidates(_ topic: Topic, _ object: String?) -> [String: [Candidate]] {
        var heard: [Share: (members: Int, isSuspended: Bool)] = [:]
        func count(_ members: Members) {
            let interest = members.interest
            guard interest.hears(topic, object) else { return }
            let share = Share(process: members.process, group: interest.key.group)
            let before = heard[share] ?? (0, false)
            heard[share] = (
                before.members + interest.members,
                before.isSuspended || interest.isSuspended == true
            )
        }
        if let named = named[topic.name] { named.forEach(count) }
        broad.forEach(count)
        if heard.isEmpty { return [:] }
        let now = ContinuousClock.now
        var candidates: [String: [Candidate]] = [:]
        for (share, heard) in heard {
            guard let process = share.process else { continue }
            candidates[share.group, default: []].append(
                Candidate(
                    process: process, members: heard.members, load: work[share]?.load(at: now) ?? 0,
                    isAway: away.contains(process), isSuspended: heard.isSuspended))
        }
        return candidates
    }

    /// Chooses the process that hears a notification for a group: one that is connected, and not
    /// suspended; of these, the one whose members have the fewest deliveries to make each; and of
    /// these, the one that was chosen longest ago.
    mutating func choose(_ group: String, from candidates: [Candidate]) -> Candidate? {
        // One that has gone since gets nothing any more.
        let present = candidates.filter { candidate in
            candidate.process.map { interests[$0] != nil } ?? true
        }
        let best = present.min { one, other in
            if one.isAway != other.isAway { return other.isAway }
            if one.isSuspended != other.isSuspended { return other.isSuspended }
            let (load, otherLoad) = (one.load / one.members, other.load / other.members)
            if load != otherLoad { return load < otherLoad }
            return last(one, group) < last(other, group)
        }
        guard let best else { return nil }
        choices += 1
        work[Share(process: best.process, group: group), default: Work()].lastChoice = choices
        return best
    }

    private func last(_ candidate: Candidate, _ group: String) -> UInt64 {
        work[Share(process: candidate.process, group: group)]?.lastChoice ?? 0
    }

    /// Takes note that a process was given a notification.
    mutating func give(_ group: String, to process: String) {
        let now = ContinuousClock.now
        var work = self.work[Share(process: process, group: group)] ?? Work()
        if work.isStale(at: now) { work.given = 0 }
        // The time counts from the first job that waits for an answer.
        if work.given == 0 { work.time = now }
        work.given += 1
        self.work[Share(process: process, group: group)] = work
    }

    /// Takes note that a process has answered for a notification, or never will.
    ///
    /// - Parameter load: the number of deliveries that its members have to make now; nil if that is
    ///   not known.
    mutating func take(
        _ group: String, from process: String, load: Int?, isCounted: Bool = true
    ) {
        let share = Share(process: process, group: group)
        guard var work = work[share] else { return }
        if isCounted { work.given = max(0, work.given - 1) }
        if let load { (work.told, work.time) = (load, .now) }
        self.work[share] = work
    }
}

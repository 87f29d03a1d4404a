// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import SwitchyardCore

/// The groups of other processes, and what each has been given to do.
struct RemoteGroups: Sendable {
    /// A process, or this one, that can hear a notification for a group.
    struct Candidate: Sendable {
        /// The process; nil for this one.
        let process: String?
        var members: Int
        /// The number of deliveries that its members have to make.
        var load: Int
    }

    /// The part of a process in a group.
    private struct Share: Sendable, Hashable {
        let process: String?
        let group: String
    }

    private var interests: [String: [GroupInterest]] = [:]
    /// The deliveries that this process has given others, and that they have not made.
    private var given: [Share: Int] = [:]
    /// The deliveries that others have told of with their last answer.
    private var reported: [Share: Int] = [:]
    private var lastChoice: [Share: UInt64] = [:]
    private var choices: UInt64 = 0

    var isEmpty: Bool { interests.isEmpty }

    /// Sets the groups of a process; none if it has gone, or can't be reached.
    mutating func set(_ interests: [GroupInterest], of process: String) {
        self.interests[process] = interests.isEmpty ? nil : interests
        let groups = Set(interests.map(\.key.group))
        let isOver: (Share) -> Bool = { $0.process == process && !groups.contains($0.group) }
        for share in Set(given.keys).union(reported.keys).union(lastChoice.keys) where isOver(share)
        {
            given[share] = nil
            reported[share] = nil
            lastChoice[share] = nil
        }
    }

    /// Returns the processes that can hear a notification, for each group.
    func candidates(_ topic: Topic, _ object: String?) -> [String: [Candidate]] {
        var candidates: [String: [Candidate]] = [:]
        for (process, interests) in interests {
            var members: [String: Int] = [:]
            for interest in interests where interest.key.hears(topic, object) {
                members[interest.key.group, default: 0] += interest.members
            }
            for (group, members) in members {
                let share = Share(process: process, group: group)
                candidates[group, default: []].append(
                    Candidate(
                        process: process, members: members,
                        load: max(given[share] ?? 0, reported[share] ?? 0)))
            }
        }
        return candidates
    }

    /// Chooses the process that hears a notification for a group: the one whose members have the fewest deliveries to
    /// make each, and of these, the one that was chosen longest ago.
    mutating func choose(_ group: String, from candidates: [Candidate]) -> Candidate? {
        let best = candidates.min { one, other in
            let (load, otherLoad) = (Self.loadOfEach(one), Self.loadOfEach(other))
            if load != otherLoad { return load < otherLoad }
            return last(one, group) < last(other, group)
        }
        guard let best else { return nil }
        let share = Share(process: best.process, group: group)
        choices += 1
        lastChoice[share] = choices
        if best.process != nil { given[share, default: 0] += 1 }
        return best
    }

    private static func loadOfEach(_ candidate: Candidate) -> Int {
        candidate.load / max(1, candidate.members)
    }

    private func last(_ candidate: Candidate, _ group: String) -> UInt64 {
        lastChoice[Share(process: candidate.process, group: group)] ?? 0
    }

    /// Takes note that a process has made a delivery, or can't.
    ///
    /// - Parameter load: what its members have to do now.
    mutating func handled(_ group: String, by process: String, load: Int) {
        let share = Share(process: process, group: group)
        guard let count = given[share] else { return }
        given[share] = count > 1 ? count - 1 : nil
        reported[share] = load
    }
}

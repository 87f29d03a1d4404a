// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

// Deliveries to a group: one of the members that match hears the post.
extension NotificationEngine {
    /// Prepares a post for groups, if the center has any.
    ///
    /// - Parameter run: the part of the post that is done. Handlers that it has called may have
    ///   registered members, which do not hear the post.
    @inline(__always)
    func beginGroups(
        of post: inout PostState, _ match: borrowing Match, after run: PlainRun,
        where admits: ((Observation) -> Bool)? = nil, mayGoElsewhere: Bool = false
    ) {
        if _slowPath(registry.hasGroups.load(ordering: .relaxed)) {
            let last = run.next == 0 ? registry.lastForGroups : match.lastSequence(before: run.end)
            post.groups = GroupChoices(
                last: last, where: admits, mayGoElsewhere: mayGoElsewhere)
        }
    }

    /// Delivers to one member of the group of `observation`, unless that has been done for this
    /// post.
    @inline(never)
    func routeToGroup<Payload>(
        of observation: Observation, _ payload: Payload, _ posting: Posting,
        _ post: inout PostState
    ) {
        guard let any = observation.flow?.group,
            post.groups?.served.contains(where: { $0 === any }) == false
        else { return }
        post.groups?.served.append(any)
        let group = unsafeDowncast(any, to: DeliveryGroup.self)
        var tried: [GroupMember] = []
        while let choice = choose(from: group, payload, posting, without: tried, &post) {
            let (member, observation) = (choice.member, choice.observation)
            post.groups?.chosen = choice
            post.groups?.isTaken = false
            ThreadEnd.notify(member)
            // The thread walks no list of this member's, so a canceller has to see a slot of its
            // own.
            HazardRecord.calling(observation) {
                deliver(payload, of: posting, to: .passUnretained(observation), &post)
            }
            post.groups?.chosen = nil
            ThreadEnd.forget(member)
            member.load.wrappingSubtract(1, ordering: .relaxed)
            // If not, the observation, or its observer, has ended since it was chosen.
            if post.groups?.isTaken == true { return }
            tried.append(member)
        }
        giveUp(group, payload, posting, &post)
    }

    /// Counts a post as undeliverable if no member can hear it because their contexts have ended.
    /// The delivery is handed to the ended mailbox of one member, which reports it as it does for
    /// an observer in no group.
    private func giveUp<Payload>(
        _ group: DeliveryGroup, _ payload: Payload, _ posting: Posting, _ post: inout PostState
    ) {
        guard let choices = post.groups, !choices.mayGoElsewhere else { return }
        let unreachable = group.unreachable(posting.topic, posting.subject, before: choices.last) {
            choices.admits?($0) != false && $0.isWanted(payload)
        }
        guard let unreachable, let mailbox = unreachable.mailbox else { return }
        HazardRecord.calling(unreachable) {
            if unreachable.isCancelled { return }
            let parcel = post.pack(payload, for: unreachable, of: posting)
            queue(parcel, for: unreachable, in: mailbox, &post)
        }
    }

    private func choose<Payload>(
        from group: DeliveryGroup, _ payload: Payload, _ posting: Posting,
        without tried: [GroupMember], _ post: inout PostState
    ) -> DeliveryGroup.Choice? {
        guard let choices = post.groups else { return nil }
        var filtered = 0
        let chosen = group.choose(
            posting.topic, posting.subject, before: choices.last, without: tried
        ) { observation in
            if let admits = choices.admits, !admits(observation) { return false }
            let isWanted = observation.isWanted(payload)
            if !isWanted, tried.isEmpty {
                filtered += 1
                observation.flow?.countFiltered()
                post.trace?.happened(.filtered, to: observation.address)
            }
            return isWanted
        }
        post.receipt.filtered &+= filtered
        return chosen
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

// Deliveries to a group: one of the members that match hears the post.
extension NotificationEngine {
    /// Delivers to one member of the group of `observation`, unless that has been done for this post.
    @inline(never)
    func routeToGroup<Payload>(
        of observation: Observation, _ payload: Payload, _ posting: Posting,
        _ post: inout PostState
    ) {
        guard let group = observation.flow?.group, !post.groups.contains(where: { $0 === group })
        else { return }
        post.groups.append(group)
        var tried: [GroupMember] = []
        while let (member, observation) = choose(
            from: unsafeDowncast(group, to: DeliveryGroup.self), payload, posting, without: tried)
        {
            let before = post.receipt
            post.chosen = member
            deliver(payload, of: posting, to: .passUnretained(observation), &post)
            post.chosen = nil
            member.load.wrappingSubtract(1, ordering: .relaxed)
            // Otherwise the observation, or its observer, has ended since it was chosen.
            if post.receipt.hasReachedMore(than: before) { return }
            tried.append(member)
        }
    }

    private func choose<Payload>(
        from group: DeliveryGroup, _ payload: Payload, _ posting: Posting,
        without tried: [GroupMember]
    ) -> (member: GroupMember, observation: Observation)? {
        group.choose(posting.topic, posting.subject, without: tried) { $0.isWanted(payload) }
    }
}

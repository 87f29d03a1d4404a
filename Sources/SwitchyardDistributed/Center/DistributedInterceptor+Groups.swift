// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore

// Posts that are held, and posts for groups that have members in other processes: not all observers
// hear them at once.
extension DistributedInterceptor {
    /// Has others hear the post for the groups that have members elsewhere.
    ///
    /// - Returns: Nil if no group has.
    @inline(never)
    func choose(_ post: OutgoingPost, _ context: [String: String]) -> GroupExchange.Choice? {
        intake?.groups.give(
            post.name, post.object, post.payload, isImmediate: post.isImmediate, context)
    }

    /// The observers that hear a post outside of the groups that have members elsewhere.
    private func audience(_ kept: KeptPost?, _ choice: GroupExchange.Choice?) -> Audience {
        var audience = kept?.audience ?? Audience()
        if let choice { audience.groups = .allBut(choice.groups) }
        return audience
    }

    /// Holds a post, because the center is suspended.
    @inline(never)
    func hold(
        _ payload: NamedPayload, of post: OutgoingPost, _ choice: GroupExchange.Choice?,
        _ engine: NotificationEngine, isHeardElsewhere: Bool
    ) -> PostReceipt {
        guard let suspension = intake?.suspension else { return PostReceipt() }
        var receipt = PostReceipt()
        func isTaken(
            by audience: Audience, whenOver: HeldNotification.WhenOver? = nil
        ) -> Bool {
            let isTaken = suspension.take(
                payload, .name(post.name), Subject(optional: post.object),
                size: post.payload.bytes.count, isImmediate: post.isImmediate, for: audience,
                whenOver: whenOver)
            if isTaken { receipt.queued += 1 }
            return isTaken
        }
        var audience = audience(post.kept, choice)
        // A value that is kept is no dead letter: observers may come for it. Nor is one that others
        // hear.
        if !isTaken(by: audience), post.kept == nil, choice == nil, !isHeardElsewhere {
            receipt = engine.reachedNobody(.name(post.name))
        }
        for job in choice?.here ?? [] {
            audience.groups = .only(job.group)
            // Weak, because the center keeps the notification, and this.
            let isTaken = isTaken(by: audience) { [weak groups = intake?.groups] end in
                groups?.isOver(job, GroupFrame.Result(end))
            }
            if !isTaken { intake?.groups.isOver(job, .noMember) }
        }
        return receipt
    }

    /// Delivers a post here, first to those outside of the groups, and then to the groups whose
    /// members here are chosen.
    @inline(never)
    func deliverShared(
        _ payload: NamedPayload, of post: OutgoingPost, _ choice: GroupExchange.Choice,
        _ engine: NotificationEngine
    ) -> PostReceipt {
        guard let intake else { return PostReceipt() }
        let topic = ReceivedTopic(name: post.name, object: post.object)
        let groups = intake.groups
        func deliver(to audience: Audience, _ wait: PostWait?) -> PostReceipt {
            if post.kept != nil {
                return intake.latest.deliver(payload, topic, to: audience, for: wait)
            }
            let posting = Posting(topic.topic, about: topic.subject, for: wait)
            return engine.post(payload, posting, where: audience.admit)
        }
        var audience = audience(post.kept, choice)
        var receipt = deliver(to: audience, post.wait)
        for job in choice.here where !receipt.isConsumed {
            audience.groups = .only(job.group)
            if let wait = post.wait {
                let own = deliver(to: audience, wait)
                groups.isOver(job, GroupFrame.Result(own))
                receipt.add(own)
            } else {
                // Should the member end before its turn, and be the last one here, another process
                // hears it.
                let own = PostWait.start(
                    { deliver(to: audience, $0) },
                    whenDone: { end, _ in groups.isOver(job, GroupFrame.Result(end)) })
                receipt.add(own)
            }
        }
        return receipt
    }
}

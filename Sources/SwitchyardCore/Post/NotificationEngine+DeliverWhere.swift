// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension NotificationEngine {
    /// Delivers `payload` only to observations for which `admits` returns true.
    ///
    /// - Parameter mayGoElsewhere: whether another process chooses from a group of which no member
    ///   here can hear the post, because their contexts have ended.
    @inline(never)
    package func deliver<Payload>(
        _ payload: Payload, of posting: Posting, to match: consuming Match,
        where admits: (Observation) -> Bool, mayGoElsewhere: Bool = true,
        whenQueued queued: ((Observation) -> Void)? = nil
    ) -> PostReceipt {
        let counts = registry.hooks.countsInline
        let trace = registry.hooks.traces ? PostTrace.begin(posting.topic) : nil
        let followed = registry.hooks.follower?.begin(posting.topic)
        var post = PostState(
            match, posting, PostReceipt(), countsInline: counts, trace: trace, followed: followed)
        withoutActuallyEscaping(admits) { admits in
            beginGroups(
                of: &post, match, after: PlainRun(end: .max), where: admits,
                mayGoElsewhere: mayGoElsewhere)
            match.visit { observation in
                if Self.hears(observation, post), observation._withUnsafeGuaranteedRef(admits) {
                    let before = post.receipt.queued
                    deliver(payload, of: posting, to: observation, &post)
                    if let queued, post.receipt.queued != before {
                        observation._withUnsafeGuaranteedRef {
                            if !$0.has(Observation.State.grouped) { queued($0) }
                        }
                    }
                }
            }
            post.groups = nil
        }
        post.trace?.end(isUnheard: false)
        followed?.end()
        match.end()
        return post.receipt
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore

// Jobs for members in this process.
extension GroupExchange {
    /// Takes a job that another process has given this one.
    func take(_ job: GroupFrame.Job, from peer: DistributedPeer) {
        deliver(job, from: peer) { [weak self] in self?.say($0, job, to: peer) }
    }

    /// Delivers a job to a member in this process.
    ///
    /// - Parameters:
    ///   - peer: the process that has posted the notification; nil for this one.
    ///   - whenOver: called once: when a member has handled the job, or when no member can.
    func deliver(
        _ job: GroupFrame.Job, from peer: DistributedPeer?,
        whenOver: @escaping @Sendable (GroupFrame.Result) -> Void
    ) {
        let topic = ReceivedTopic(name: job.name, object: job.object)
        let sender =
            peer ?? state.withLock(\.sender)?.ownPeer
            ?? DistributedPeer(id: "", processIdentifier: 0, processName: "")
        let message = ReceivedMessage(job.payload, sender: sender, sequence: 0, topic, engine)
        var audience = Audience()
        audience.groups = .only(job.group)
        if suspension.isSuspended {
            let isTaken = suspension.take(
                NamedPayload(message), topic.topic, topic.subject, size: job.payload.bytes.count,
                isImmediate: job.isImmediate, for: audience
            ) { whenOver(GroupFrame.Result($0)) }
            if !isTaken { whenOver(.noMember) }
            return
        }
        _ = PostWait.start(
            { wait in
                engine.post(
                    NamedPayload(message), Posting(topic.topic, about: topic.subject, for: wait),
                    where: audience.admit)
            }, whenDone: { receipt, _ in whenOver(GroupFrame.Result(receipt)) })
    }

    private func say(
        _ result: GroupFrame.Result, _ job: GroupFrame.Job, to peer: DistributedPeer
    ) {
        guard job.number > 0 else {
            // The other process does not want to know.
            if result == .noMember { reportNoMember(job) }
            return
        }
        guard let sender = state.withLock(\.sender) else { return }
        let load = engine.load(
            of: job.group, .name(job.name), Subject(optional: job.object))
        let outcome = GroupFrame.Outcome(job.number, result, load: load.deliveries)
        // Without a connection, the other process learns that this one can't be reached.
        _ = try? sender.send(
            CenterNames.answers, peer.id, DistributedPayload(userInfo: outcome.info))
    }
}

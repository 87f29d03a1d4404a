// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardCore

// The conversation of centers: about latest values, requests and groups.
extension DistributedIntake {
    /// Connects the center with others.
    func connect(_ sender: CenterSender, sharesLatestValues: Bool, carriesRequests: Bool) {
        ownProcess.withLock { $0 = sender.process }
        if sharesLatestValues { latest.connect(sender) }
        if carriesRequests { requests.connect(sender) }
        if sender.sharesGroups { groups.connect(sender) }
        if sharesLatestValues || carriesRequests || sender.sharesGroups {
            interest.addOwn(DistributedInterest(name: CenterNames.answers, object: sender.process))
        }
    }

    /// Takes a notification of another center that is for this one, and not for its observers.
    func takeForCenter(_ message: ReceivedMessage) {
        let topic = message.topic
        // An observer of any name has those for other centers come here, too.
        if topic.name == CenterNames.answers, topic.object != ownProcess.withLock({ $0 }) {
            return
        }
        // Bytes that make no sense are passed over: they are no reason to end a connection.
        guard let info = try? message.userInfo else { return }
        if topic.name == CenterNames.answers, groups.take(info, from: message.sender) { return }
        if topic.name != CenterNames.questions, requests.take(info, from: message) { return }
        if topic.name != CenterNames.requests {
            latest.take(info, from: message) { suspension.delaysLatestValue($0.topic, $0.subject) }
        }
    }

    // MARK: - News of processes

    /// Tells the center that a connection to other processes is back after it was broken. The
    /// center then asks for latest values that may have been missed, and has the others ask. A
    /// transport that carries ``OutgoingNotification/keptAt`` calls this once the observed topics
    /// have been told again.
    public func connectionIsBack() {
        latest.connectionIsBack()
        groups.connectionIsBack()
    }

    /// Tells the center that a process has gone for good: the latest values that it posted have
    /// ended, and requests do not wait for it any more. To be called behind the last notification
    /// that came from it.
    public func hasGone(_ peer: DistributedPeer) { hasGone(peer.id) }

    package func hasGone(_ process: String) {
        latest.hasGone(process)
        requests.hasGone(process)
        groups.hasGone(process)
    }

    /// Tells the center that a process is there, also if it had seemed to be gone.
    public func hasCome(_ peer: DistributedPeer) { hasCome(peer.id) }

    package func hasCome(_ process: String) { latest.hasCome(process) }

    // MARK: - Groups of several processes

    /// Tells the center that a process chooses the members of groups that hear what it posts: its
    /// notifications are not delivered to groups here, unless it asks for that. For transports that
    /// share groups (``DistributedTransport/sharesGroups``).
    public func chooses(_ peer: DistributedPeer) { chooses(peer.id) }

    package func chooses(_ process: String) { groups.chooses(process) }

    /// Tells the center of all interests of a process that has come. For transports that share
    /// groups.
    public func hasCome(
        _ peer: DistributedPeer, wanting interests: some Sequence<DistributedInterest>
    ) {
        hasCome(peer.id)
        hasCome(peer.id, wanting: interests)
    }

    package func hasCome(_ process: String, wanting interests: some Sequence<DistributedInterest>) {
        hasCome(process, with: GroupNews(interests))
    }

    /// Tells the center of the groups of a process that has come.
    func hasCome(_ process: String, with news: GroupNews) { groups.set(news, of: process) }

    /// Tells the center that the connection to a process has ended, and may come back: groups here
    /// do without its members for now. For transports that share groups.
    public func isAway(_ peer: DistributedPeer) { isAway(peer.id) }

    package func isAway(_ process: String) { groups.isAway(process) }

    /// Tells the center of an interest that a process has gained or lost. For transports that share
    /// groups; interests in other things than groups are ignored.
    public func hasChanged(
        _ peer: DistributedPeer, _ interest: DistributedInterest, isObserved: Bool
    ) {
        hasChanged(peer.id, interest, isThere: isObserved)
    }

    package func hasChanged(_ process: String, _ interest: DistributedInterest, isThere: Bool) {
        groups.change(interest, of: process, isThere: isThere)
    }
}

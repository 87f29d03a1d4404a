// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import SwitchyardDistributed

/// The subscriptions of a transport. Guard: the transport's lock.
struct Subscriptions: ~Copyable {
    /// The session with the subscriptions; nil before the first one. The session may have ended:
    /// the next one gets all subscriptions.
    private(set) var session: NATSSession?
    private var interests = ObservedInterests()
    /// The number of announcements of the observed interests so far.
    var announcements: UInt64 = 0
    private var active: [DistributedInterest: Subscription] = [:]
    /// The subscriptions that are no longer needed.
    var ending = EndingSubscriptions()
    /// The patterns that are too long to subscribe to, and were reported.
    private var tooLong: Set<String> = []

    /// The interests that are observed here.
    var observed: Set<DistributedInterest> { interests.all }

    private var plan: Set<DistributedInterest> {
        SubscriptionPlan.cover(observed.filter { !$0.isForGroups })
    }

    /// Returns the subject patterns that servers are told for the observed interests.
    func patterns(_ subjects: SubjectMap) -> [String] {
        plan.map { subjects.pattern(for: $0) }
    }

    var all: [Subscription] { Array(active.values) + ending.subscriptions }

    /// The interests whose notifications the subscriptions of this process receive.
    var subscribed: Set<DistributedInterest> { Set(active.keys) }

    /// Applies changes of the observed interests, and subscribes to the present interests. The
    /// subscriptions that are no longer needed begin to end.
    mutating func change(
        _ changes: [(interest: DistributedInterest, isObserved: Bool)], _ subjects: SubjectMap
    ) throws {
        let session = session?.isConnected == true ? session : nil
        for change in changes {
            if change.isObserved {
                interests.begin(change.interest, isConnected: session != nil)
            } else {
                let isSubscribed = session == nil || active[change.interest] != nil
                interests.end(change.interest, isSubscribed: isSubscribed)
            }
        }
        guard let session else { return }
        let plan = plan
        var failure: (any Error)?
        for interest in plan where active[interest] == nil {
            do {
                active[interest] =
                    try ending.takeBack(interest)
                    ?? subscribe(subjects.pattern(for: interest), on: session)
            } catch {
                // The other interests are subscribed to all the same.
                failure = error
            }
        }
        for interest in plan where active[interest] != nil { interests.settle(interest) }
        if let failure { throw failure }
        for interest in active.keys where !plan.contains(interest) {
            if let subscription = active.removeValue(forKey: interest) {
                ending.add(subscription, of: interest)
            }
        }
    }

    private mutating func subscribe(
        _ pattern: String, on session: NATSSession
    ) throws -> Subscription? {
        if pattern.utf8.count <= SubjectMap.longest {
            return try Subscription(pattern, on: session)
        }
        if !tooLong.insert(pattern).inserted { return nil }
        throw NATSError(
            "a name and an object are observed that take \(pattern.utf8.count) bytes as a NATS subject: "
                + "nobody can post under more than \(SubjectMap.longest)")
    }

    /// Subscribes to all observed interests on a new session.
    ///
    /// - Returns: The previous session's subscriptions, for the caller to destroy without the lock;
    ///   and the interests that were observed without a pause since the previous session.
    mutating func begin(
        _ session: NATSSession, _ subjects: SubjectMap
    ) -> (earlier: [Subscription], lasting: Set<DistributedInterest>) {
        let earlier = removeAll()
        let lasting = interests.beginSession()
        self.session = session
        // Errors were reported when the observation began.
        _ = try? change([], subjects)
        return (earlier, lasting)
    }

    /// Removes the subscriptions to which the server sends nothing more, and returns them.
    mutating func removeConfirmed() -> [Subscription] {
        let confirmed = ending.removeConfirmed()
        for interest in confirmed.keys { interests.settle(interest) }
        return Array(confirmed.values)
    }

    /// Begins a pass after which subscriptions may end.
    ///
    /// - Returns: Nil when no more passes are needed, or possible.
    mutating func beginPass() -> (pass: EndingSubscriptions.Pass, session: NATSSession)? {
        let pass = ending.beginPass(isConnected: session?.isConnected == true)
        guard let pass, let session else { return nil }
        return (pass, session)
    }

    /// Releases the session, and returns its subscriptions.
    mutating func stop() -> [Subscription] {
        session = nil
        return removeAll()
    }

    private mutating func removeAll() -> [Subscription] {
        defer { active = [:] }
        return Array(active.values) + ending.removeAll()
    }
}
#endif

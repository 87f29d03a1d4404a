// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import SwitchyardDistributed

/// The subscriptions of a transport. Guard: the transport's lock.
struct Subscriptions: ~Copyable {
    /// The session with the subscriptions; nil before the first one. The session may have ended:
    /// the next one gets all subscriptions.
    private(set) var session: NATSSession?
    /// The interests that are observed here.
    private(set) var observed: Set<DistributedInterest> = []
    private var active: [DistributedInterest: Subscription] = [:]
    /// Replaced subscriptions, kept until the server knows of their replacements.
    private var leaving: [Subscription] = []
    /// The number of changes that ended subscriptions and of sessions so far.
    private(set) var version = 0
    /// Whether messages may come twice: from the replacement of a subscription until the server has
    /// confirmed that it sends nothing more to the old one.
    private(set) var overlaps = false
    /// Whether an interest ended while there was no session, so that the next expected numbers of all
    /// processes have to be forgotten.
    private var forgets = false
    /// The patterns that are too long to subscribe to, and were reported.
    private var tooLong: Set<String> = []

    /// Returns the subject patterns that servers are told for the observed interests.
    func patterns(_ subjects: SubjectMap) -> [String] {
        SubscriptionPlan.cover(observed).map { subjects.pattern(for: $0) }
    }

    var all: [Subscription] { Array(active.values) + leaving }

    /// Applies changes of the observed interests, and subscribes to the present interests.
    ///
    /// - Returns: Whether subscriptions are to be ended, once the server knows the new ones.
    mutating func change(
        _ changes: [(interest: DistributedInterest, isObserved: Bool)], _ subjects: SubjectMap
    ) throws -> Bool {
        for change in changes {
            if change.isObserved {
                observed.insert(change.interest)
            } else {
                observed.remove(change.interest)
            }
        }
        guard let session, session.isConnected else {
            forgets = forgets || changes.contains { !$0.isObserved }
            return false
        }
        let plan = SubscriptionPlan.cover(observed)
        var failure: (any Error)?
        for interest in plan where active[interest] == nil {
            do {
                active[interest] = try subscribe(subjects.pattern(for: interest), on: session)
            } catch {
                // The other interests are subscribed to all the same.
                failure = error
            }
        }
        if let failure { throw failure }
        let ended = active.keys.filter { !plan.contains($0) }
        for interest in ended {
            if let subscription = active.removeValue(forKey: interest) {
                leaving.append(subscription)
            }
        }
        if ended.isEmpty { return false }
        version += 1
        overlaps = true
        return true
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
    ///   and whether less is observed than before.
    mutating func begin(
        _ session: NATSSession, _ subjects: SubjectMap
    ) -> (earlier: [Subscription], forgets: Bool) {
        let forgets = forgets || !leaving.isEmpty
        self.forgets = false
        let earlier = removeAll()
        self.session = session
        overlaps = false
        version += 1
        // Errors were reported when the observation began.
        _ = try? change([], subjects)
        return (earlier, forgets)
    }

    /// Ends the replaced subscriptions.
    ///
    /// - Parameter version: the version that the server has confirmed. If there was a change since,
    ///   the server has to be asked again, and nothing is ended.
    /// - Returns: Whether any subscription was ended.
    mutating func leave(asOf version: Int) -> Bool {
        if version != self.version || leaving.isEmpty { return false }
        leaving = []
        return true
    }

    /// Notes that the server sends nothing more to ended subscriptions, unless there was a change
    /// since `version`.
    mutating func settle(asOf version: Int) {
        if version == self.version, leaving.isEmpty { overlaps = false }
    }

    /// Releases the session, and returns its subscriptions.
    mutating func stop() -> [Subscription] {
        session = nil
        return removeAll()
    }

    private mutating func removeAll() -> [Subscription] {
        defer {
            active = [:]
            leaving = []
        }
        return all
    }
}
#endif

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
internal import SwitchyardDistributed

/// A subscription whose messages the connection's thread takes as soon as they have come.
final class Subscription: @unchecked Sendable {
    // Sendable: libnats locks what is behind the pointer.
    private let handle: OpaquePointer

    init(_ pattern: String, on connection: OpaquePointer) throws {
        var made: OpaquePointer?
        try NATSError.check(
            natsConnection_SubscribeSync(&made, connection, pattern), "subscribe to \(pattern)")
        guard let handle = made else { throw NATSError("there is no memory for a subscription") }
        self.handle = handle
        // What has come is taken before more is read: no more can wait than was read at once.
        natsSubscription_SetPendingLimits(handle, -1, -1)
    }

    // Which tells the server.
    deinit { natsSubscription_Destroy(handle) }

    /// How many messages have come and were not taken.
    var waiting: Int {
        var count: UInt64 = 0
        return natsSubscription_QueuedMsgs(handle, &count) == NATS_OK ? Int(count) : 0
    }

    /// What has come, for the caller to destroy.
    func takeAll() -> [OpaquePointer] {
        let count = waiting
        var messages: [OpaquePointer] = []
        messages.reserveCapacity(count)
        for _ in 0..<count {
            guard let message = next() else { break }
            messages.append(message)
        }
        return messages
    }

    /// The next message, for the caller to destroy.
    func next() -> OpaquePointer? {
        var message: OpaquePointer?
        return natsSubscription_NextMsg(&message, handle, 0) == NATS_OK ? message : nil
    }
}

/// What is subscribed to. Guard: the transport's lock.
struct Subscriptions: ~Copyable {
    /// With whom; nil before there is one. It may have ended: the next one is told everything.
    private(set) var session: NATSSession?
    /// What is observed here.
    private(set) var observed: Set<DistributedInterest> = []
    private var active: [DistributedInterest: Subscription] = [:]
    /// Such as others have taken the place of, until the server knows of these.
    private var leaving: [Subscription] = []
    /// Counts the changes after which something was left.
    private(set) var version = 0
    /// Whether what comes may come twice: from when there are others, until the server has said that it
    /// sends nothing more to what was left.
    private(set) var overlaps = false
    /// Whether something was given up, and what is missing of it not forgotten.
    private var forgets = false
    /// What can't be subscribed to, and was told.
    private var tooLong: Set<String> = []

    var all: [Subscription] { Array(active.values) + leaving }

    /// Subscribes to what is observed now.
    ///
    /// - Returns: Whether some of what was subscribed to is to be left, once the server knows of the rest.
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
        guard let session, let handle = session.handle, session.isConnected else {
            forgets = forgets || changes.contains { !$0.isObserved }
            return false
        }
        let plan = SubscriptionPlan.cover(observed)
        var failure: (any Error)?
        for interest in plan where active[interest] == nil {
            do {
                active[interest] = try subscribe(subjects.pattern(for: interest), on: handle)
            } catch {
                // The others are subscribed to all the same.
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
        _ pattern: String, on connection: OpaquePointer
    ) throws -> Subscription? {
        if pattern.utf8.count <= SubjectMap.longest {
            return try Subscription(pattern, on: connection)
        }
        if !tooLong.insert(pattern).inserted { return nil }
        throw NATSError(
            "a name and an object are observed that take \(pattern.utf8.count) bytes as a NATS subject: "
                + "nobody can post under more than \(SubjectMap.longest)")
    }

    /// Tells a new session what is observed.
    ///
    /// - Returns: What was subscribed to in the one before, to be destroyed when the lock is free; and whether
    ///   less is observed than in that.
    mutating func begin(
        _ session: NATSSession, _ subjects: SubjectMap
    ) -> (earlier: [Subscription], forgets: Bool) {
        let forgets = forgets || !leaving.isEmpty
        self.forgets = false
        let earlier = removeAll()
        self.session = session
        overlaps = false
        version += 1
        // What is wrong with one was told when it was observed.
        _ = try? change([], subjects)
        return (earlier, forgets)
    }

    /// Leaves what others have taken the place of.
    ///
    /// - Parameter version: when the server was last asked; if there was a change since, it has to be
    ///   asked again.
    /// - Returns: Whether there was something to leave.
    mutating func leave(asOf version: Int) -> Bool {
        if version != self.version || leaving.isEmpty { return false }
        leaving = []
        return true
    }

    /// The server sends nothing more to what was left.
    mutating func settle(asOf version: Int) {
        if version == self.version, leaving.isEmpty { overlaps = false }
    }

    /// Lets the session go.
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

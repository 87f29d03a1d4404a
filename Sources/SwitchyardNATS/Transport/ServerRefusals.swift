// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
/// The refusals of servers. Guard: the transport's lock.
struct ServerRefusals: Sendable {
    /// The subjects to which this process may not subscribe on the current session.
    var subscriptions: Set<RefusedSubject> = []
    /// The subjects of acknowledgements that this process may not publish on the current session.
    var publications: Set<RefusedSubject> = []
    /// The number of refused posts by subject, for posts not reported yet.
    var unreportedPosts: [RefusedSubject: UInt64] = [:]
    /// Whether this process may not exchange messages with others about the processes in the
    /// domain on the current session.
    var hidesPeers = false
    /// The number of refusals so far.
    var count = 0
    /// The subjects already reported to the problem hook.
    private var reported: Set<String> = []

    /// Forgets the refusals that belong to the previous session.
    mutating func beginSession() {
        subscriptions = []
        publications = []
        hidesPeers = false
    }

    /// Returns whether a subject has not been reported to the problem hook, and notes it as
    /// reported.
    mutating func isNew(_ subject: String) -> Bool {
        // Bounds the set: a process may post under any number of subjects.
        if reported.count > 1_000 { reported = [] }
        return reported.insert(subject).inserted
    }
}
#endif

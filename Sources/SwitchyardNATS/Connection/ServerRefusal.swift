// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
/// A server's refusal of a publication or a subscription for which the account has no permission:
/// `Permissions Violation for Publish to "some.subject"`.
struct ServerRefusal: Equatable {
    /// Whether a subscription was refused; false for a publication.
    let isSubscription: Bool
    let subject: String

    /// - Parameter text: a server's error. The result is nil if the error is not about permissions.
    init?(_ text: String) {
        let words = text.lowercased()
        guard words.contains("permissions violation"), let start = text.firstIndex(of: "\"") else {
            return nil
        }
        isSubscription = words.contains("subscription to")
        let rest = text[text.index(after: start)...]
        subject = String(rest[..<(rest.firstIndex(of: "\"") ?? rest.endIndex)])
    }
}

/// The refusals of servers. Guard: the transport's lock.
struct ServerRefusals: Sendable {
    /// The subjects to which this process may not subscribe on the current session.
    var subscriptions: Set<String> = []
    /// The subjects of acknowledgements that this process may not publish on the current session.
    var publications: Set<String> = []
    /// The number of refused posts by subject, for posts not reported yet.
    var untoldPosts: [String: UInt64] = [:]
    /// Whether this process may not exchange messages with others about the processes in the
    /// domain on the current session.
    var hidesPeers = false
    /// The number of refusals so far.
    var count = 0
    /// The subjects already reported to the problem hook.
    private var told: Set<String> = []

    /// Forgets the refusals that belong to the previous session.
    mutating func beginSession() {
        subscriptions = []
        publications = []
        hidesPeers = false
    }

    /// Returns whether the problem hook has not been told of a subject, and notes the subject as
    /// told.
    mutating func isNew(_ subject: String) -> Bool {
        // Bounds the set: a process may post under any number of subjects.
        if told.count > 1_000 { told = [] }
        return told.insert(subject).inserted
    }
}
#endif

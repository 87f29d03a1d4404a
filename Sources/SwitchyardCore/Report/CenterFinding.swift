// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// Something about the registrations of a center that looks like a mistake, found in a snapshot.
///
/// ```swift
/// for finding in center.snapshot().findings { print(finding) }
/// ```
public struct CenterFinding: Sendable, CustomStringConvertible {
    /// The kind of a finding. More kinds may come: have a `default` where you switch over it.
    public struct Kind: Sendable, Hashable, CustomStringConvertible {
        /// The kind's name.
        public let description: String

        private init(description: String) { self.description = description }

        /// The owner that the registration named has died, and the registration goes on.
        public static let ownerDied = Kind(description: "ownerDied")
        /// The object that is observed has died: no post matches the registration any more.
        public static let objectDied = Kind(description: "objectDied")
        /// One object has registered several times, in one line, to hear of the same on the same
        /// context: each post calls it several times.
        public static let twins = Kind(description: "twins")
        /// One line has registered several closures to hear of the same on the same context, and
        /// without an owner. The registrations are right if each belongs to an object of its own;
        /// they are twins if all belong to one object.
        public static let possibleTwins = Kind(description: "possibleTwins")
        /// The thread or loop that was to call the handlers has ended.
        public static let contextEnded = Kind(description: "contextEnded")
        /// As many deliveries wait for a context as its bound allows, or as its high-water mark; or
        /// 100,000 elements wait for the consumer of a sequence without a limit.
        public static let contextFull = Kind(description: "contextFull")
        /// Deliveries were lost or refused for want of room.
        public static let loss = Kind(description: "loss")
    }

    /// The kind of the finding.
    public let kind: Kind
    /// The message for people: what was found, where it was registered, and what can be done.
    public let description: String
    /// The files and lines at which the registrations concerned were made, each once, the earliest
    /// first.
    public let origins: [RegistrationSite]
    /// The registrations concerned, by their ``CenterSnapshot/Entry/sequence``, the earliest first.
    public let registrations: [UInt64]

    /// - Parameter entries: the registrations concerned, in order; one at least.
    init(_ kind: Kind, _ entries: [CenterSnapshot.Entry], _ description: String) {
        self.kind = kind
        self.description = description
        var seen: Set<RegistrationSite> = []
        origins = entries.map(\.origin).filter { seen.insert($0).inserted }
        registrations = entries.map(\.sequence)
    }
}

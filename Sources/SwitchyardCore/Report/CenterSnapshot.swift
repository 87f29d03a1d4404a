// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The live registrations of a center at one moment.
public struct CenterSnapshot: Sendable, CustomStringConvertible {
    /// One registration.
    public struct Entry: Sendable, CustomStringConvertible {
        /// The name in quotation marks, the message type, or `any name`.
        public let topic: String
        /// The subject that the registration is limited to: `any object`, an instance's type and
        /// address, or a value.
        public let object: String
        /// The context on which the handler runs.
        public let context: String
        /// The file and line at which it was registered.
        public let origin: RegistrationSite
        /// The entry's rank in the order of registration.
        public let sequence: UInt64
        /// The options of the registration.
        public let options: ObservationOptions
        /// Whether its handler runs at this moment.
        public let isInFlight: Bool
        /// Whether it is paused: its deliveries are kept (``ObservationToken/pause()``).
        public let isPaused: Bool
        /// Deliveries that reached the handler: those through a mailbox always, those on the
        /// posting thread while the center collects statistics.
        public let delivered: UInt64
        /// Deliveries that were lost or refused because of the observer's bound, or the limit of
        /// its sequence. Those that were replaced are not among them.
        public let lost: UInt64
        /// Deliveries whose place a newer one with the same key took, as the observer's bound asks
        /// for (``DeliveryBound/keepLatest(above:per:)``).
        public let replaced: UInt64
        /// Posts that its condition has turned away
        /// (``ObservationOptions/where(_:)-swift.method``).
        public let filtered: UInt64
        /// Posts that its handler has consumed, so that the observers behind it did not hear them.
        public let consumed: UInt64
        /// Deliveries that wait in its context's mailbox, for all observers there; of a sequence, the
        /// elements that wait for its consumer.
        public let queueDepth: Int
        /// The called thing: `a closure`, `a method of Inspector`, `a block`, `a stream`.
        public let handler: String
        /// The class of the object that the registration belongs to; nil if nobody has said. See
        /// ``ObservationOptions/owned(by:)-swift.method``.
        public let owner: String?
        /// Whether the owner has died. The registration goes on without it.
        public let ownerIsGone: Bool
        /// Whether the observed object has died, so that no post matches the registration any more.
        public let objectIsGone: Bool

        /// Whether the object whose method is called has died: the next post ends the registration.
        package let observerIsGone: Bool
        /// The kind of code that is called.
        package let role: HandlerRole
        /// Whether the context's mailbox is closed.
        package let contextHasEnded: Bool
        /// The bound of the context's mailbox, if it has one.
        let contextBound: DeliveryBound?
        /// The number of waiting deliveries that is reported as a sign of trouble; nil for the
        /// posting thread.
        let highWaterMark: Int?
        /// Whether it is a sequence without a limit.
        let isUnboundedSequence: Bool
        /// Whether a condition looks at each post.
        let hasCondition: Bool
        let identity: Identity

        /// The addresses of things that registrations may have in common. Never dereferenced: the
        /// things may have died.
        struct Identity: Sendable, Hashable {
            /// A number that all registrations of one topic and one subject share.
            let registrations: UInt
            let mailbox: ObjectIdentifier?
            /// The address of the observer object; zero if there is none.
            let observer: UInt
            let owner: UInt?
        }

        /// The registration in one line.
        public var description: String {
            "\(topic), \(object), on \(context), registered at \(origin)"
                + (ownerIsGone ? ", its owner has died" : "")
                + (isInFlight ? ", in flight" : "") + (isPaused ? ", paused" : "")
                + (queueDepth > 0 ? ", \(queueDepth) wait" : "")
                + (lost > 0 ? ", \(lost) lost" : "")
                + (replaced > 0 ? ", \(replaced) replaced" : "")
                + (filtered > 0 ? ", \(filtered) turned away by its condition" : "")
                + (consumed > 0 ? ", \(consumed) consumed" : "")
        }
    }

    /// The entries, in the order of registration.
    public let entries: [Entry]
    /// Observer objects that had died when something was to be delivered to them, so far.
    public let expired: UInt64

    /// One line for each registration.
    public var description: String {
        entries.map(\.description).joined(separator: "\n")
    }
}

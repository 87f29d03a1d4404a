// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The live registrations of a center at one moment.
public struct CenterSnapshot: Sendable, CustomStringConvertible {
    /// One registration.
    public struct Entry: Sendable, CustomStringConvertible {
        /// The name in quotation marks, the message type, or `any name`.
        public let topic: String
        /// The subject that the registration is limited to: `any object`, an instance's type and address,
        /// or a value.
        public let object: String
        /// The context on which the handler runs.
        public let context: String
        /// The place at which it was registered.
        public let origin: RegistrationSite
        /// Its place in the order of registration.
        public let sequence: UInt64
        /// The options of the registration.
        public let options: ObservationOptions
        /// Whether its handler runs at this moment.
        public let isInFlight: Bool
        /// Deliveries that reached the handler: those through a mailbox always, those on the posting
        /// thread while the center collects statistics.
        public let delivered: UInt64
        /// Deliveries that were lost or refused because of the observer's bound, or the limit of its
        /// sequence.
        public let lost: UInt64
        /// Deliveries that wait in its context's mailbox, for all observers there.
        public let queueDepth: Int

        /// The registration in one line.
        public var description: String {
            "\(topic), \(object), on \(context), registered at \(origin)"
                + (isInFlight ? ", in flight" : "") + (queueDepth > 0 ? ", \(queueDepth) wait" : "")
                + (lost > 0 ? ", \(lost) lost" : "")
        }
    }

    /// In order of registration.
    public let entries: [Entry]
    /// Observer objects that had died when something was to be delivered to them, so far.
    public let expired: UInt64

    /// One line for each registration.
    public var description: String {
        entries.map(\.description).joined(separator: "\n")
    }
}

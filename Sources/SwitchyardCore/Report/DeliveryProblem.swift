// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// Something that went wrong with a delivery, told to a center's problem hook.
public struct DeliveryProblem: Sendable, CustomStringConvertible {
    /// The kind of a problem. More kinds may come: have a `default` where you switch over it.
    public struct Kind: Sendable, Hashable, CustomStringConvertible {
        /// The kind's name.
        public let description: String

        /// A kind of a module's own.
        package init(named name: String) { description = name }

        private init(description: String) { self.description = description }

        /// A handler threw ``DeliveryProblem/error``; the other handlers still ran.
        public static let handlerThrew = Kind(description: "handlerThrew")
        /// A thread or loop has ended: with ``DeliveryProblem/count`` deliveries waiting for it, or
        /// before a first one came.
        public static let undeliverable = Kind(description: "undeliverable")
        /// ``DeliveryProblem/count`` deliveries wait in one mailbox.
        public static let highWater = Kind(description: "highWater")
        /// A post or a cancellation did not wait, because it would have waited for a suspended
        /// queue, or for a handler that waits for the caller.
        public static let wouldNotReturn = Kind(description: "wouldNotReturn")
        /// A notification could not be made into a message of the observer's type.
        public static let notConvertible = Kind(description: "notConvertible")
        /// A notification was queued from its object's deinit: it is posted without the object.
        public static let objectIsGone = Kind(description: "objectIsGone")
        /// A notification was queued on a thread whose run loop nobody may ever run.
        public static let loopDoesNotRun = Kind(description: "loopDoesNotRun")
        /// A method was registered for a context on which its isolation does not let it run.
        public static let isolatedMethod = Kind(description: "isolatedMethod")
        /// A token was given to a center that it did not come from.
        public static let wrongCenter = Kind(description: "wrongCenter")
    }

    /// The kind of the problem.
    public let kind: Kind
    /// The message for people: what happened, to whom, and what can be done.
    public let description: String
    /// The error that the handler threw.
    public let error: (any Error)?
    /// The number of deliveries concerned.
    public let count: Int
    /// The name in quotation marks, or the message type; nil if the problem is not about one alone.
    public let topic: String?
    /// The context of the deliveries; nil if the problem is not about one.
    public let context: String?
    /// The file and line at which the handler was registered; nil if the problem is not about one
    /// handler.
    public let origin: RegistrationSite?

    package init(
        _ kind: Kind, _ description: String, error: (any Error)? = nil, count: Int = 1,
        topic: String? = nil, context: String? = nil, origin: RegistrationSite? = nil
    ) {
        self.kind = kind
        self.description = description
        self.error = error
        self.count = count
        self.topic = topic
        self.context = context
        self.origin = origin
    }

    static func undeliverable(mailbox: String, count: Int) -> DeliveryProblem {
        DeliveryProblem(
            .undeliverable,
            "\(mailbox) ended with \(count) \(count == 1 ? "delivery" : "deliveries") waiting, which "
                + "will not be made",
            count: count, context: mailbox)
    }

    static func noMember(group: String, count: Int) -> DeliveryProblem {
        DeliveryProblem(
            .undeliverable,
            "no member of \(GroupLabel.label(of: group)) is left for \(count) "
                + "\(count == 1 ? "delivery that waits, which" : "deliveries that wait, which") "
                + "will not be made",
            count: count, context: GroupLabel.label(of: group))
    }

    static func afterEnd(mailbox: String, _ observation: ProblemSource) -> DeliveryProblem {
        DeliveryProblem(
            .undeliverable,
            "a post came for \(mailbox), which has ended; it is not delivered, nor are later ones, "
                + "whose receipts say so: end the observation, or observe on a context that lives",
            topic: observation.topic, context: mailbox, origin: observation.origin)
    }

    static func waitCycle(_ cycle: String) -> DeliveryProblem {
        DeliveryProblem(
            .wouldNotReturn,
            "a cancellation did not wait for its handler, because \(cycle): use cancel() there, "
                + "which does not wait")
    }

    static func highWater(
        mailbox: String, waiting: Int, _ observation: ProblemSource
    ) -> DeliveryProblem {
        DeliveryProblem(
            .highWater,
            "\(waiting) deliveries wait for \(mailbox): it is slower than its posters, "
                + "or does not run",
            count: waiting, topic: observation.topic, context: mailbox, origin: observation.origin)
    }

    static func handlerThrew(
        _ error: any Error, on context: String, _ observation: ProblemSource
    ) -> DeliveryProblem {
        DeliveryProblem(
            .handlerThrew,
            "the handler registered at \(observation.origin) for \(observation.topic) threw: \(error)",
            error: error, topic: observation.topic, context: context, origin: observation.origin)
    }
}

/// The registration that a problem is about.
struct ProblemSource {
    let topic: String
    let origin: RegistrationSite
}

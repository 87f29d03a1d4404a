// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// How an observation is delivered to, beyond where.
public struct ObservationOptions: Sendable {
    /// Whether the observation ends with its first delivery. Under concurrent posts, the handler is
    /// called at most once.
    public var once: Bool

    /// The order within one post: higher priorities first, equal ones in order of registration. A
    /// priority never moves a delivery ahead of an earlier post. With priorities in play, a post sorts
    /// the observations it matched: O(n log n) in place of O(n).
    public var priority: Int

    /// Whether every delivery goes through the mailbox, also one that could be made inline because
    /// the post comes from the observer's own thread. Without effect on the posting thread's
    /// context, which has no mailbox.
    public var queued: Bool

    /// How many deliveries may wait, and what happens beyond; nil: any number, nothing is lost.
    public var bound: DeliveryBound? {
        get { flow?.bound }
        set { flow = FlowOptions.make(bound: newValue, pace: pace) }
    }
    /// How often the handler is called at most; nil: for every post.
    public var pace: Pace? {
        get { flow?.pace }
        set { flow = FlowOptions.make(bound: bound, pace: newValue) }
    }
    /// Both, behind one pointer: most observations have neither.
    private var flow: FlowOptions?
    /// Whether an async handler may be called again before it has returned: each call is a task of
    /// its own, started in the order of posting. Without effect on other handlers.
    public var isConcurrent = false
    /// Whether a post on the target is delivered inline even if other mail waits there: SF-0011's
    /// messages of the main actor are.
    package var overtakes = false
    /// How deliveries are treated while a distributed center is suspended: two bits that it reads.
    package var suspension: UInt8 = 0

    /// Whether there is a bound or a pace.
    var asksForFlow: Bool { flow != nil }

    private final class FlowOptions: Sendable {
        let bound: DeliveryBound?
        let pace: Pace?

        static func make(bound: DeliveryBound?, pace: Pace?) -> FlowOptions? {
            if bound == nil, pace == nil { return nil }
            return FlowOptions(bound: bound, pace: pace)
        }

        private init(bound: DeliveryBound?, pace: Pace?) {
            precondition(
                bound?.key == nil || pace == nil,
                "an observation with a pace keeps the latest notification anyway: leave out the "
                    + "bound that keeps the latest per key, or the pace")
            self.bound = bound
            self.pace = pace
        }
    }

    /// Several of these together.
    ///
    /// - Parameters:
    ///   - once: whether the first delivery ends the observation.
    ///   - priority: what comes first within one post.
    ///   - queued: whether deliveries always go through the mailbox.
    ///   - bound: how many deliveries may wait.
    ///   - pace: how often the handler is called at most.
    ///   - isConcurrent: whether an async handler's calls go on side by side.
    public init(
        once: Bool = false, priority: Int = 0, queued: Bool = false, bound: DeliveryBound? = nil,
        pace: Pace? = nil, isConcurrent: Bool = false
    ) {
        self.once = once
        self.priority = priority
        self.queued = queued
        self.isConcurrent = isConcurrent
        flow = FlowOptions.make(bound: bound, pace: pace)
    }

    /// Called for every post, in order of registration, inline where that is in order.
    public static var standard: ObservationOptions { ObservationOptions() }
    /// Ends with its first delivery.
    public static let once = ObservationOptions(once: true)
    /// Always through the mailbox.
    public static let queued = ObservationOptions(queued: true)
    /// With so many deliveries waiting at most.
    public static func bounded(_ bound: DeliveryBound) -> ObservationOptions {
        var options = ObservationOptions()
        options.bound = bound
        return options
    }

    /// Called so often at most.
    public static func paced(_ pace: Pace) -> ObservationOptions {
        var options = ObservationOptions()
        options.pace = pace
        return options
    }

    /// Async handlers go on side by side.
    public static var concurrent: ObservationOptions {
        var options = ObservationOptions()
        options.isConcurrent = true
        return options
    }

    /// Before those of lower priority within the same post.
    public static func priority(_ priority: Int) -> ObservationOptions {
        ObservationOptions(priority: priority)
    }
}

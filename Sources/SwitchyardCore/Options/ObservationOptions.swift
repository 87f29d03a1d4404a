// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The way an observation is delivered to, apart from its context.
///
/// Options combine from left to right:
/// ```swift
/// center.observe(Sample.self, on: .main, options: .once) { … }
/// center.observe(
///     Sample.self, on: .thread(worker),
///     options: .queued.priority(1).bounded(.dropOldest(above: 100))) { … }
/// ```
/// An owner, a condition and a group are options too (`.owned(by:)`, `.where(_:)`, `.inGroup(_:)`),
/// and not parameters of `observe`: so every form of `observe` takes them, and a new option changes
/// none of these forms.
public struct ObservationOptions: Sendable {
    /// Whether the observation ends with its first delivery. Under concurrent posts, the handler is
    /// called at most once.
    public var isOnce = false

    /// The order within one post: higher priorities first, equal ones in order of registration. A
    /// priority never moves a delivery ahead of an earlier post. With priorities in play, a post
    /// sorts the observations it matched: O(n log n) in place of O(n).
    public var priority = 0

    /// Whether every delivery goes through the mailbox, also one that could be made inline because
    /// the post comes from the observer's own thread. Without effect on the posting thread's
    /// context, which has no mailbox.
    public var isQueued = false

    /// Whether an async handler may be called again before it has returned: each call is a task of
    /// its own, started in the order of posting. Without effect on other handlers.
    public var isConcurrent = false

    /// Whether a post on the target is delivered inline even if other deliveries wait there:
    /// SF-0011's messages of the main actor are.
    package var overtakes = false
    /// Whether the handler may consume a post, so that observers behind it do not hear it.
    package var consumes = false
    /// The treatment of deliveries while a distributed center is suspended: two bits that it reads.
    package var suspension: UInt8 = 0

    /// The options that few observations have, behind one pointer; nil if all have their defaults.
    private var seldom: Seldom?

    /// The default: the handler is called for every post, in order of registration, and inline
    /// where that is in order.
    public init() {}

    /// The number of deliveries that may wait, and the policy beyond; nil: any number, nothing is
    /// lost.
    public var bound: DeliveryBound? {
        get { seldom?.bound }
        set { change { $0.bound = newValue } }
    }

    /// The highest rate of calls of the handler; nil: one call for every post.
    public var pace: DeliveryPace? {
        get { seldom?.pace }
        set { change { $0.pace = newValue } }
    }

    /// Whether the observer first hears the latest value that was posted before with
    /// ``Retention/latest``; see ``replayingLatest-swift.property``.
    public var replaysLatest: Bool {
        get { seldom?.replaysLatest ?? false }
        set { change { $0.replaysLatest = newValue } }
    }

    /// The name of the group in which the observation shares its posts with others; nil: it hears
    /// them all.
    public var group: String? {
        get { seldom?.group }
        set { change { $0.group = newValue } }
    }

    /// The condition that a post has to fulfil; nil: every post that matches is delivered.
    var filter: DeliveryFilter? {
        get { seldom?.filter }
        set { change { $0.filter = newValue } }
    }

    /// The object that the observation belongs to; nil if nobody has said.
    var owner: OwnerReference? {
        get { seldom?.owner }
        set { change { $0.owner = newValue } }
    }

    /// Whether there is a condition, a bound, a pace or a group.
    var asksForFlow: Bool { seldom.map { $0.asksForFlow } ?? false }

    /// Whether there is none of the options that few observations have.
    var areCommon: Bool { seldom == nil }
}

// MARK: - Options that few observations have

extension ObservationOptions {
    /// A new option that few observations use belongs here: it costs the others nothing.
    private final class Seldom: Sendable {
        struct Values: Sendable {
            var bound: DeliveryBound?
            var pace: DeliveryPace?
            var filter: DeliveryFilter?
            var owner: OwnerReference?
            var group: String?
            var replaysLatest = false

            var areDefaults: Bool {
                bound == nil && pace == nil && filter == nil && owner == nil && group == nil
                    && !replaysLatest
            }
        }

        let values: Values

        init(_ values: Values) {
            Misuse.unless(
                values.bound?.key == nil || values.pace == nil,
                "an observation with a pace keeps the latest notification anyway: leave out the "
                    + "bound that keeps the latest per key, or the pace")
            Misuse.unless(
                values.group == nil || values.pace == nil,
                "a group shares posts out, and a pace thins them out: leave out one of the two")
            self.values = values
        }

        var bound: DeliveryBound? { values.bound }
        var pace: DeliveryPace? { values.pace }
        var filter: DeliveryFilter? { values.filter }
        var asksForFlow: Bool {
            values.filter != nil || values.bound != nil || values.pace != nil
                || values.group != nil
        }
        var owner: OwnerReference? { values.owner }
        var group: String? { values.group }
        var replaysLatest: Bool { values.replaysLatest }
    }

    private mutating func change(_ change: (inout Seldom.Values) -> Void) {
        var values = seldom?.values ?? Seldom.Values()
        change(&values)
        seldom = values.areDefaults ? nil : Seldom(values)
    }
}

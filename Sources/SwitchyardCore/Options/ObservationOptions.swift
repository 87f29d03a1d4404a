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

// MARK: - Combining

extension ObservationOptions {
    /// The default: the handler is called for every post, in order of registration, and inline
    /// where that is in order.
    public static var standard: ObservationOptions { ObservationOptions() }

    /// The observation ends with its first delivery; see ``isOnce``.
    public static var once: ObservationOptions { standard.once }
    /// These options, for an observation that ends with its first delivery; see ``isOnce``.
    public var once: ObservationOptions { with { $0.isOnce = true } }

    /// Every delivery goes through the mailbox; see ``isQueued``.
    public static var queued: ObservationOptions { standard.queued }
    /// These options with every delivery through the mailbox; see ``isQueued``.
    public var queued: ObservationOptions { with { $0.isQueued = true } }

    /// The calls of an async handler overlap; see ``isConcurrent``.
    public static var concurrent: ObservationOptions { standard.concurrent }
    /// These options with overlapping calls of an async handler; see ``isConcurrent``.
    public var concurrent: ObservationOptions { with { $0.isConcurrent = true } }

    /// Deliveries come before those of lower priority within the same post; see
    /// ``priority-swift.property``.
    public static func priority(_ priority: Int) -> ObservationOptions {
        standard.priority(priority)
    }

    /// These options with a priority; see ``priority-swift.property``.
    public func priority(_ priority: Int) -> ObservationOptions {
        with { $0.priority = priority }
    }

    /// A limited number of deliveries waits; see ``bound``.
    public static func bounded(_ bound: DeliveryBound) -> ObservationOptions {
        standard.bounded(bound)
    }

    /// These options with a bound; see ``bound``.
    public func bounded(_ bound: DeliveryBound) -> ObservationOptions { with { $0.bound = bound } }

    /// The handler is called at a limited rate; see ``pace``.
    public static func paced(_ pace: DeliveryPace) -> ObservationOptions { standard.paced(pace) }

    /// These options with a pace; see ``pace``.
    public func paced(_ pace: DeliveryPace) -> ObservationOptions { with { $0.pace = pace } }

    /// One of a group hears each post; see ``inGroup(_:)-swift.method``.
    public static func inGroup(_ name: String) -> ObservationOptions { standard.inGroup(name) }

    /// These options, for an observation that shares its posts with others: one of the group hears
    /// each.
    ///
    /// ```swift
    /// for worker in workers {
    ///     center.observe(Job.self, with: worker, Worker.run, on: .thread(worker.thread), options: .inGroup("jobs"))
    /// }
    /// ```
    /// One of the members that match a post hears it: the one for which the fewest deliveries wait
    /// or are being made, so that idle ones come first; among equals, the one that was chosen
    /// longest ago. Paused members are chosen last. If the member ends before its handler is
    /// called, another is chosen, and the delivery comes behind what waits there, whatever the
    /// bound. It is reported as undeliverable if there is no other. Observers that are in no group
    /// hear every post, as always. A group and a pace exclude each other.
    ///
    /// A group belongs to one center, whatever its members observe. The group of a distributed
    /// center has members in several processes. The choice looks at each member of the group, also
    /// at those that observe something else.
    ///
    /// - Parameter name: the name of the group.
    public func inGroup(_ name: String) -> ObservationOptions { with { $0.group = name } }

    /// The observer first hears the latest value; see ``replayingLatest-swift.property``.
    public static var replayingLatest: ObservationOptions { standard.replayingLatest }

    /// These options, for an observer that first hears the latest value that was posted before.
    ///
    /// ```swift
    /// center.post(Connected(to: host), retaining: .latest)
    /// let token = center.observe(Connected.self, on: .main, options: .replayingLatest) { … }   // hears it
    /// ```
    /// The value is one that was posted with ``Retention/latest``, about the observer's subject. An
    /// observer of any subject hears the latest about each, in the order of posting. It is
    /// delivered on the observer's context, before later posts: before the registration returns if
    /// that is the posting thread's context (`.poster`), or if the calling thread is the context's,
    /// nothing waits there, and the observer is not one that hears all through its mailbox
    /// (``isQueued``). An observer that is registered during such a post hears the value
    /// once.
    ///
    /// A condition is asked, as for a post. A bound and a pace do not count the value, and a
    /// one-shot observation ends with it.
    ///
    /// To register for one topic and one subject looks at one value. An observer of any subject
    /// looks at all values that are kept of its topic, and one of any name, or of a pattern, at all
    /// that the center keeps, under the lock under which observers are added.
    public var replayingLatest: ObservationOptions { with { $0.replaysLatest = true } }

    /// Only posts that fulfil a condition are delivered; see ``where(_:)-swift.method``.
    public static func `where`<Payload>(
        _ condition: @escaping @Sendable (Payload) -> Bool
    ) -> ObservationOptions {
        standard.where(condition)
    }

    /// These options, for an observation that hears only the posts that fulfil a condition.
    ///
    /// ```swift
    /// center.observe(
    ///     Sample.self, on: .main, options: .where { (sample: Sample) in sample.value > 100 }) { … }
    /// ```
    /// The condition is looked at on the posting thread, before the notification goes to another
    /// one, and before a bound or a pace counts it: a post that does not fulfil it wakes nobody,
    /// and does not use up a one-shot observation. The post's receipt counts it as
    /// ``PostReceipt/filtered``.
    ///
    /// Posting threads call the condition one beside the other, as they post. Keep it short: the
    /// post waits for it. It stays in this process: with a distributed center, it is looked at
    /// where the notification arrives. Of several conditions, all have to be fulfilled. When a member
    /// of a group ends with a delivery that waits, the conditions of the others are called on a
    /// thread of Swift's task pool.
    ///
    /// - Parameter condition: says whether the observer is to hear a post. It gets the message, the
    ///   `Notification`, or the `ReceivedNotification` that the handler would get; another type is
    ///   a programmer's error that registering reports.
    public func `where`<Payload>(
        _ condition: @escaping @Sendable (Payload) -> Bool
    ) -> ObservationOptions {
        with { $0.filter = .make($0.filter, and: condition) }
    }

    /// The observation belongs to `owner`; see ``owned(by:)-swift.method``.
    public static func owned(by owner: AnyObject) -> ObservationOptions {
        standard.owned(by: owner)
    }

    /// These options, for an observation that belongs to `owner` and should end with it.
    ///
    /// ```swift
    /// token = center.observe(Saved.self, options: .owned(by: self)) { [weak self] _ in … }
    /// ```
    /// For diagnosis alone: a center can't see which object a closure works for. With an owner, a
    /// snapshot says who observes, its findings name an observation that has outlived its owner,
    /// and fourteen windows that each register once are not taken for one that registers fourteen
    /// times. The owner changes no delivery, and the observation does not end with it: that is the
    /// token's work.
    ///
    /// The owner is not kept alive. Its memory, though nothing it held, stays until the observation
    /// has ended. Observations without an owner cost nothing more.
    public func owned(by owner: AnyObject) -> ObservationOptions {
        with { $0.owner = OwnerReference(owner) }
    }

    private func with(_ change: (inout ObservationOptions) -> Void) -> ObservationOptions {
        var options = self
        change(&options)
        return options
    }
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

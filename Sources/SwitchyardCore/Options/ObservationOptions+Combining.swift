// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// The forms in which options are written: each alone, and after others.
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

    /// The handler is called at a limited rate; see ``pace``. A pace excludes a group, and a bound
    /// that keeps the latest delivery of each key: together they trap.
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

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A follower of one center's posts, which wraps the calls of their handlers. `SwitchyardTracing`
/// uses it to bring the context of the posting task to the handlers. Posts of other centers pay
/// nothing for it.
@_spi(Engine) open class PostFollower: @unchecked Sendable {
    // Sendable: nothing is stored here; a subclass answers for itself.

    /// For subclasses.
    public init() {}

    /// Called on the posting thread, when the observers of a post are known.
    ///
    /// - Returns: The follower of the post's deliveries; nil if there is nothing to do for them.
    open func begin(_ topic: Topic) -> FollowedPost? { nil }

    /// Calls `body`, which sends a post to other processes, and then delivers it here.
    ///
    /// - Parameter body: takes the context that the notification is to carry.
    open func sending(
        _ topic: Topic, _ body: (CarriedContext) throws -> Void
    ) throws { try body(CarriedContext()) }

    /// Calls `body`, which delivers a post of another process here.
    ///
    /// - Parameter carried: the context that the notification carried.
    open func receiving(_ carried: CarriedContext, _ body: () -> Void) { body() }

    /// Whether a request that is asked here and in other processes is followed as one post:
    /// ``sending(_:_:)`` is then called around all of it, and again, inside of that, for the part
    /// that goes to other processes.
    open var followsRequestsAsOne: Bool { false }

    /// Whether ``receiving(_:_:)`` is called also for posts that carried no context. If not, they
    /// are delivered as fast as if nobody followed.
    open var receivesWithoutContext: Bool { false }
}

/// Follows the deliveries of one post.
@_spi(Engine) open class FollowedPost: @unchecked Sendable {
    // Sendable: nothing is stored here; a subclass answers for itself.

    /// For subclasses.
    public init() {}

    /// Calls a handler on the posting thread, by `call`.
    open func inline(_ call: () throws -> DeliveryOutcome) throws -> DeliveryOutcome {
        try call()
    }

    /// Calls a handler for which the delivery was queued, by `call`, on the thread of its context.
    open func queued(_ call: () throws -> DeliveryOutcome) throws -> DeliveryOutcome {
        try call()
    }

    /// Calls an async handler for which the delivery was queued, by `call`, in its task.
    open func queued(
        async call: @Sendable () async throws -> DeliveryOutcome
    ) async throws -> DeliveryOutcome { try await call() }

    /// The post has been handed over to all its observers.
    open func end() {}
}

/// The context that a notification takes to other processes, beside its payload: texts by keys,
/// such as `traceparent`.
@_spi(Engine) public struct CarriedContext: Sendable, Hashable {
    /// The texts.
    public var fields: [String: String]

    /// Creates a context with these texts.
    public init(_ fields: [String: String] = [:]) { self.fields = fields }

    /// Whether there are no texts.
    public var isEmpty: Bool { fields.isEmpty }
}

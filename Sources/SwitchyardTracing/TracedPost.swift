// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Tracing
@_spi(Engine) internal import SwitchyardCore
internal import Tracing

/// Brings the context of one post to its handlers, and makes their spans.
final class TracedPost: FollowedPost, @unchecked Sendable {
    // Sendable: constant; a span may be used from any thread.
    private let topic: Topic
    /// The context that handlers get, or that their spans have as parent; nil if the posting task
    /// had none.
    private let context: ServiceContext?
    /// The span of the post; nil if it has none, or somebody else ends it.
    private let span: (any Span)?
    /// Whether the post was made in another process.
    private let isElsewhere: Bool
    /// Makes the spans of handlers; nil: they have none.
    private let handlers: SpanMaker?

    /// Any post that is made without a context, and makes no spans.
    static let withoutContext = TracedPost(
        .name(""), in: nil, isElsewhere: false, handlers: nil)

    init(
        _ topic: Topic, in context: ServiceContext?, _ span: (any Span)? = nil, isElsewhere: Bool,
        handlers: SpanMaker?
    ) {
        self.topic = topic
        self.context = context
        self.span = span
        self.isElsewhere = isElsewhere
        self.handlers = handlers
    }

    override func inline(_ call: () throws -> DeliveryOutcome) throws -> DeliveryOutcome {
        // Without a span the handler has the task's context already.
        guard let handlers else { return try Crossing.leaving(call) }
        let span = handlers.process(topic, in: context, isLinked: isElsewhere)
        return try Crossing.leaving { try Self.call(call, in: span) }
    }

    override func queued(_ call: () throws -> DeliveryOutcome) throws -> DeliveryOutcome {
        try Crossing.leaving {
            guard let handlers else {
                // Binding takes longer than asking.
                if context == nil, ServiceContext.current == nil { return try call() }
                return try ServiceContext.$current.withValue(context, operation: call)
            }
            return try Self.call(call, in: handlers.process(topic, in: context, isLinked: true))
        }
    }

    override func queued(
        async call: @Sendable () async throws -> DeliveryOutcome
    ) async throws -> DeliveryOutcome {
        guard let handlers else {
            return try await ServiceContext.$current.withValue(context, operation: call)
        }
        let span = handlers.process(topic, in: context, isLinked: true)
        defer { span.end() }
        do {
            return try await ServiceContext.withValue(span.context, operation: call)
        } catch {
            Self.note(error, in: span)
            throw error
        }
    }

    private static func call(
        _ call: () throws -> DeliveryOutcome, in span: any Span
    ) throws -> DeliveryOutcome {
        defer { span.end() }
        do {
            return try ServiceContext.withValue(span.context, operation: call)
        } catch {
            note(error, in: span)
            throw error
        }
    }

    /// Notes an error of the handler. It was not called if the notification is no message of its
    /// type, which is reported, and no failure of the handler.
    private static func note(_ error: any Error, in span: any Span) {
        if !(error is DeliverySkipped) { span.fail(error) }
    }

    override func end() { span?.end() }
}
#endif

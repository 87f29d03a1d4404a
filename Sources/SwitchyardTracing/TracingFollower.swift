// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Tracing
@_spi(Engine) internal import SwitchyardCore
internal import Tracing

/// Follows the posts of a center that traces.
final class TracingFollower: PostFollower, @unchecked Sendable {
    // Sendable: constant.
    private let spans: DeliverySpans
    private let maker: SpanMaker

    init(_ spans: DeliverySpans, _ tracer: (any Tracer)?) {
        self.spans = spans
        maker = SpanMaker(tracer)
    }

    override func begin(_ topic: Topic) -> FollowedPost? {
        let makesSpans = spans == .everywhere
        if let crossing = Crossing.current, crossing.follower == ObjectIdentifier(self) {
            // The post, or a part of it for some of its observers, has its span where it was made.
            let handlersHaveSpans = makesSpans || crossing.isArriving && spans != .none
            return TracedPost(
                topic, in: crossing.context, isElsewhere: crossing.isArriving,
                handlers: handlersHaveSpans ? maker : nil)
        }
        let context = ServiceContext.current
        // A post without a context is followed as well: its handlers may be called inside of
        // another's.
        guard makesSpans else {
            return context.map { TracedPost(topic, in: $0, isElsewhere: false, handlers: nil) }
                ?? .withoutContext
        }
        let span = maker.post(topic, in: context)
        return TracedPost(
            topic, in: span.context, span, isElsewhere: false, handlers: maker)
    }

    override func sending(_ topic: Topic, _ body: (CarriedContext) throws -> Void) throws {
        if let crossing = Crossing.current, crossing.follower == ObjectIdentifier(self),
            crossing.hasParts
        {
            return try Crossing.$current.withValue(crossing.part) {
                try body(maker.carried(crossing.context))
            }
        }
        let context = ServiceContext.current
        guard spans != .none else {
            guard let context else { return try body(CarriedContext()) }
            return try body(maker.carried(context))
        }
        let span = maker.post(topic, in: context)
        defer { span.end() }
        // Only requests are followed under their types.
        let crossing = Crossing(
            of: ObjectIdentifier(self), span.context, isArriving: false, hasParts: !topic.isName)
        do {
            try ServiceContext.withValue(span.context) {
                try Crossing.$current.withValue(crossing) { try body(maker.carried(span.context)) }
            }
        } catch {
            span.fail(error)
            throw error
        }
    }

    // Where every handler has a span, those of the request here are children of the same post.
    override var followsRequestsAsOne: Bool { spans == .everywhere }

    override func receiving(_ carried: CarriedContext, _ body: () -> Void) {
        let context = maker.context(of: carried)
        let crossing = Crossing(of: ObjectIdentifier(self), context, isArriving: true)
        ServiceContext.withValue(context) { Crossing.$current.withValue(crossing, operation: body) }
    }

    // A post that is traced nowhere else has spans here only where every handler has one.
    override var receivesWithoutContext: Bool { spans == .everywhere }
}
#endif

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Tracing
@_spi(Engine) internal import SwitchyardCore
internal import Tracing

/// Makes spans, and texts of contexts, with one tracer or the program's.
struct SpanMaker: Sendable {
    private let own: (any Tracer)?

    init(_ tracer: (any Tracer)?) { own = tracer }

    private var tracer: any Tracer { own ?? InstrumentationSystem.tracer }
    private var instrument: any Instrument { own ?? InstrumentationSystem.instrument }

    /// The span of a post.
    func post(_ topic: Topic, in context: ServiceContext?) -> any Span {
        start("post", "send", topic, .producer, in: context ?? .topLevel)
    }

    /// The span of a handler.
    ///
    /// - Parameter isLinked: whether it is linked to the post, if that has a span, because it runs
    ///   elsewhere.
    func process(_ topic: Topic, in context: ServiceContext?, isLinked: Bool) -> any Span {
        let context = context ?? .topLevel
        let span = start("process", "process", topic, .consumer, in: context)
        if isLinked, !context.isEmpty { span.addLink(SpanLink(context: context, attributes: [:])) }
        return span
    }

    private func start(
        _ verb: String, _ operation: String, _ topic: Topic, _ kind: SpanKind,
        in context: ServiceContext
    ) -> any Span {
        let name = topic.description.unquoted
        let span = tracer.startAnySpan("\(verb) \(name)", context: context, ofKind: kind)
        span.attributes["messaging.system"] = "switchyard"
        span.attributes["messaging.destination.name"] = name
        span.attributes["messaging.operation.name"] = verb
        span.attributes["messaging.operation.type"] = operation
        return span
    }

    /// The part of a context that a notification takes along.
    func carried(_ context: ServiceContext) -> CarriedContext {
        var fields: [String: String] = [:]
        instrument.inject(context, into: &fields, using: Fields())
        return CarriedContext(fields)
    }

    /// The context of what a notification took along.
    func context(of carried: CarriedContext) -> ServiceContext {
        var context = ServiceContext.topLevel
        instrument.extract(carried.fields, into: &context, using: Fields())
        return context
    }

    private struct Fields: Injector, Extractor {
        func inject(_ value: String, forKey key: String, into fields: inout [String: String]) {
            fields[key] = value
        }

        func extract(key: String, from fields: [String: String]) -> String? { fields[key] }
    }
}

extension Span {
    /// Notes the error that ended what the span is about.
    func fail(_ error: any Error) {
        recordError(error)
        setStatus(SpanStatus(code: .error))
        attributes["error.type"] = TypeName.of(type(of: error))
    }
}
#endif

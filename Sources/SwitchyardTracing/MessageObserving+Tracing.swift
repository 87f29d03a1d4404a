// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Tracing
@_spi(Engine) public import SwitchyardCore
public import Tracing

extension MessageObserving {
    /// Brings the `ServiceContext` of the task that posts to the handlers, wherever they run, from
    /// now on.
    ///
    /// ```swift
    /// center.startTracing()
    /// ```
    /// On another thread the context is bound around the call of the handler, so that the handler's
    /// own spans belong to the trace of the post. A distributed center sends it along, on one
    /// machine and through NATS: the handlers of other processes get it, too, if their center was
    /// told to trace.
    ///
    /// A post that makes a span has one with the name `post NAME`, of the kind producer; handlers
    /// have spans `process NAME`, of the kind consumer. A handler that was queued for, or that runs
    /// in another process, has a link to the span of the post. The parent of each of these spans is
    /// that of the post.
    ///
    /// Only centers that were told to trace bear the cost: each post reads the task's context, and
    /// each queued delivery has a parcel of its own.
    ///
    /// - Parameters:
    ///   - spans: the posts and handlers that have spans.
    ///   - tracer: the tracer that makes the spans, and whose identifiers go to other processes;
    ///     nil for the one that the program has bootstrapped.
    public func startTracing(
        spans: DeliverySpans = .betweenProcesses, tracer: (any Tracer)? = nil
    ) {
        engine.follower = TracingFollower(spans, tracer)
    }

    /// Ends what ``startTracing(spans:tracer:)`` began. Deliveries that wait still get their
    /// context.
    public func stopTracing() { engine.follower = nil }
}
#endif

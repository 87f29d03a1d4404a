// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Tracing
import InMemoryTracing
import TestSupport
import Tracing

/// A value of a task's context that tests bind.
private enum RequestKey: ServiceContextKey {
    typealias Value = String
}

extension ServiceContext {
    var request: String? {
        get { self[RequestKey.self] }
        set { self[RequestKey.self] = newValue }
    }

    /// Calls `body` as part of a request.
    @discardableResult
    static func inRequest<Result>(_ name: String, _ body: () throws -> Result) rethrows -> Result {
        var context = ServiceContext.current ?? .topLevel
        context.request = name
        return try withValue(context, operation: body)
    }
}

extension InMemoryTracer {
    /// The only finished span with this name.
    func span(_ name: String) -> FinishedInMemorySpan? {
        let found = finishedSpans.filter { $0.operationName == name }
        return found.count == 1 ? found.first : nil
    }
}

extension FinishedInMemorySpan {
    /// The spans that it is linked to.
    var linked: [String] { links.compactMap(\.context.inMemorySpanContext?.spanID) }
    var parent: String? { spanContext.parentSpanID }
}
#endif

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import InMemoryTracing
import Tracing

/// A finished span as a line, by which one process tells it to another.
struct SpanLine {
    let process: String
    let trace: String
    let id: String
    let parent: String
    let isLinked: Bool
    let name: String

    /// A tracer whose identifiers no other process has.
    static func makeTracer() -> InMemoryTracer {
        InMemoryTracer(
            idGenerator: InMemoryTracer.IDGenerator(
                nextTraceID: { UUID().uuidString }, nextSpanID: { UUID().uuidString }))
    }

    init(_ span: FinishedInMemorySpan, of process: String) {
        self.process = process
        trace = span.traceID
        id = span.spanID
        parent = span.spanContext.parentSpanID ?? ""
        isLinked = !span.links.isEmpty
        name = span.operationName
    }

    /// Reads a line; nil if it is none of a span.
    init?(_ line: Substring) {
        let parts = line.split(
            separator: "\t" as Character, omittingEmptySubsequences: false
        ).map(String.init)
        guard parts.count == 7, parts[0] == "span" else { return nil }
        (process, trace, id, parent) = (parts[1], parts[2], parts[3], parts[4])
        isLinked = parts[5] == "linked"
        name = parts[6]
    }

    var text: String {
        ["span", process, trace, id, parent, isLinked ? "linked" : "", name]
            .joined(separator: "\t")
    }

    /// Prints a span, and under it those of which it is the parent.
    static func printTree(_ spans: [SpanLine], under parent: String = "", depth: Int = 0) {
        for span in spans where span.parent == parent {
            let indent = String(repeating: "    ", count: depth)
            let link = span.isLinked ? ", linked to the post" : ""
            print("\(indent)\(span.name)    (\(span.process)\(link))")
            printTree(spans, under: span.id, depth: depth + 1)
        }
    }
}

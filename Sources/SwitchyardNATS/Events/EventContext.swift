// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import Foundation

/// The context of an event, such as the identifiers of a trace, as headers of its message.
///
/// CloudEvents has attributes for the two texts of W3C's Trace Context ([distributed
/// tracing](https://github.com/cloudevents/spec/blob/main/cloudevents/extensions/distributed-tracing.md)).
/// An attribute's name consists of lower-case letters and digits, which the keys of other tracers
/// need not. So any other text has a header of Switchyard's own.
enum EventContext {
    private static let attributes = ["traceparent", "tracestate"]
    private static let attributePrefix = "ce-"
    private static let prefix = "switchyard-context-"
    /// The most bytes of a context's headers. A context that takes more is left out, as between
    /// processes of one machine.
    private static let longest = 8192

    /// The lines of a message's head for a context, without their ends.
    static func lines(_ context: [String: String]) -> [String] {
        let lines = context.sorted { $0.key < $1.key }.map {
            header($0) + ": " + HeaderText.escape($1)
        }
        return lines.reduce(0) { $0 + $1.utf8.count + 2 } <= longest ? lines : []
    }

    private static func header(_ key: String) -> String {
        if attributes.contains(key) { return attributePrefix + key }
        // A colon would end the header's name.
        return prefix + HeaderText.escape(key).replacing(":", with: "%3A")
    }

    /// Reads the context of a message that has come. The two texts of Trace Context are also read
    /// from the headers `traceparent` and `tracestate`, in any case, in which other publishers put
    /// them as they are.
    ///
    /// - Parameters:
    ///   - names: the names of the message's headers.
    ///   - header: returns the value of one.
    static func read(_ names: [String], _ header: (String) -> String?) -> [String: String] {
        var (context, others): ([String: String], [String: String]) = ([:], [:])
        var left = longest
        for name in names {
            let plain = name.lowercased()
            guard let key = attributes.contains(plain) ? plain : key(name),
                let value = header(name)
            else { continue }
            left -= name.utf8.count + value.utf8.count
            if left < 0 { return [:] }
            if key == plain {
                others[key] = value
            } else {
                context[key] = SubjectMap.unescape(value)
            }
        }
        return context.merging(others) { own, _ in own }
    }

    private static func key(_ header: String) -> String? {
        if header.hasPrefix(prefix) {
            let key = SubjectMap.unescape(header.dropFirst(prefix.count))
            return key.map(attributes.contains) == true ? nil : key
        }
        guard header.hasPrefix(attributePrefix) else { return nil }
        let attribute = String(header.dropFirst(attributePrefix.count))
        return attributes.contains(attribute) ? attribute : nil
    }
}
#endif

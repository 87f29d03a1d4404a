// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Metrics
/// A metric by its name and attributes.
struct MetricKey: Hashable {
    let label: String
    let dimensions: [Dimension]

    struct Dimension: Hashable {
        let name: String
        let value: String
    }

    init(_ label: String, _ dimensions: [(String, String)]) {
        self.label = label
        var all = [("messaging.system", "switchyard")]
        // OpenTelemetry's metrics of messaging have to name the operation.
        if let operation = MetricName.operations[label] {
            all.append((AttributeName.operation, operation))
        }
        self.dimensions = (all + dimensions).map { Dimension(name: $0.0, value: $0.1) }
    }

    /// The attributes as swift-metrics has them.
    var pairs: [(String, String)] { dimensions.map { ($0.name, $0.value) } }
}

/// The names of metrics: OpenTelemetry's for messaging, and Switchyard's own.
enum MetricName {
    static let sent = "messaging.client.sent.messages"
    static let consumed = "messaging.client.consumed.messages"
    static let duration = "messaging.process.duration"
    static let depth = "switchyard.mailbox.depth"
    static let registrations = "switchyard.registrations"
    static let wait = "switchyard.delivery.wait.duration"
    static let lost = "switchyard.deliveries.lost"
    static let errors = "switchyard.handler.errors"
    static let missed = "switchyard.sampling.missed"

    /// The operations that OpenTelemetry's metrics are about: a post, or the call of a handler.
    static let operations = [sent: "post", consumed: "process", duration: "process"]
}

/// The names of attributes.
enum AttributeName {
    static let destination = "messaging.destination.name"
    static let operation = "messaging.operation.name"
    static let context = "switchyard.context"
    static let errorType = "error.type"
}
#endif

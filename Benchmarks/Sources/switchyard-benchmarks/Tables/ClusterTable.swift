// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness

extension Table {
    /// From one process to others, through a server of NATS.
    static var cluster: Table {
        Table(
            name: "cluster", title: "Through a NATS server, 100 bytes each",
            questions: asked(
                "bytes, not decoded", .opaque, trip: .ofLimit(1.2), rate: .ofLimit(0.8))
                + asked("userInfo of three keys, read by each", .userInfo)
                + asked("Codable message, decoded by each", .codable)
                // The columns behind these two are of messages that nobody answers.
                + asked("a request and its answer, Codable", .request).prefix(2)
                // With several receivers, each would get a part of the jobs.
                + asked("a job of a group, Codable", .job).prefix(3),
            subjects: [
                ClusterProcesses(), LibraryProcesses(sendsAtOnce: true),
                LibraryProcesses(sendsAtOnce: false),
            ], showsRatios: true)
    }

    private static func asked(
        _ row: String, _ payload: ProcessesQuestion.Payload, trip: Goal? = nil, rate: Goal? = nil
    ) -> [Asked<ProcessesQuestion>] {
        [
            Asked(
                ProcessesQuestion(payload: payload, kind: .roundTrip(.one)),
                row: row + ": latency", column: "round trip, one CPU", unit: "µs p50", goal: trip),
            Asked(
                ProcessesQuestion(payload: payload, kind: .roundTrip(.two)),
                row: row + ": latency", column: "two CPUs", unit: "µs p50", goal: trip),
            Asked(
                ProcessesQuestion(payload: payload, kind: .deliveries(receivers: 1)),
                row: row + ": deliveries", column: "1 → 1", unit: "millions a second",
                better: .more, goal: rate),
            Asked(
                ProcessesQuestion(payload: payload, kind: .deliveries(receivers: 4)),
                row: row + ": deliveries", column: "1 → 4", unit: "millions a second",
                better: .more, goal: rate),
        ]
    }
}

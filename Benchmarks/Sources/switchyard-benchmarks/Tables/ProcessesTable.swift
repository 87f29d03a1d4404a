// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness

extension Table {
    /// From one process to others, on this machine.
    static var processes: Table {
        Table(
            name: "processes", title: "Between processes, 100 bytes each",
            questions: opaque + userInfo + codable + requests + jobs + stopped,
            subjects: [
                SwitchyardProcesses(), BusProcesses(), RedisProcesses(), NATSProcesses(),
                StreamProcesses(),
            ], showsRatios: true)
    }

    private static var opaque: [Asked<ProcessesQuestion>] {
        trips(
            "bytes, not decoded", .opaque, one: .ofLimit(1.3), two: .ofLimit(1.25),
            way: .ofLimit(1.1))
            + deliveries("bytes, not decoded", .opaque, [1: 0.25, 4: 0.5, 16: 0.6])
    }

    private static var userInfo: [Asked<ProcessesQuestion>] {
        trips("userInfo of three keys, read by each", .userInfo)
            + deliveries(
                "userInfo of three keys, read by each", .userInfo, [1: 0.03, 4: 0.055, 16: 0.055])
    }

    private static var codable: [Asked<ProcessesQuestion>] {
        trips("Codable message, decoded by each", .codable)
            + deliveries(
                "Codable message, decoded by each", .codable, [1: 0.012, 4: 0.012, 16: 0.012])
    }

    private static var requests: [Asked<ProcessesQuestion>] {
        // The columns behind these two are of messages that nobody answers.
        Array(trips("a request and its answer, Codable", .request).prefix(2))
    }

    private static var jobs: [Asked<ProcessesQuestion>] {
        // With several receivers, each would get a part of them.
        trips("a job of a group, Codable", .job)
            + [
                Asked(
                    ProcessesQuestion(payload: .job, kind: .deliveries(receivers: 1)),
                    row: "a job of a group, Codable: deliveries", column: "1 → 1",
                    unit: "millions a second", better: .more)
            ]
    }

    private static var stopped: [Asked<ProcessesQuestion>] {
        let running = "a fourth running"
        let columns: [(String, Bool, Goal?)] = [
            (running, false, nil), ("a fourth stopped", true, .ofColumn(running, 1.1)),
        ]
        return columns.map { column, isStopped, goal in
            Asked(
                ProcessesQuestion(payload: .opaque, kind: .beside(isStopped: isStopped)),
                row: "600,000 posts, until three receivers have them", column: column, unit: "s",
                goal: goal)
        }
    }

    private static func trips(
        _ row: String, _ payload: ProcessesQuestion.Payload, one: Goal? = nil, two: Goal? = nil,
        way: Goal? = nil
    ) -> [Asked<ProcessesQuestion>] {
        let columns: [(String, ProcessesQuestion.Kind, Goal?)] = [
            ("round trip, one CPU", .roundTrip(.one), one),
            ("two CPUs", .roundTrip(.two), two),
            ("one way, 1 a ms", .oneWay, way),
        ]
        return columns.map { column, kind, goal in
            Asked(
                ProcessesQuestion(payload: payload, kind: kind), row: row + ": latency",
                column: column, unit: "µs p50", goal: goal)
        }
    }

    private static func deliveries(
        _ row: String, _ payload: ProcessesQuestion.Payload, _ goals: [Int: Double]
    ) -> [Asked<ProcessesQuestion>] {
        goals.sorted { $0.key < $1.key }.map { receivers, goal in
            Asked(
                ProcessesQuestion(payload: payload, kind: .deliveries(receivers: receivers)),
                row: row + ": deliveries", column: "1 → \(receivers)", unit: "millions a second",
                better: .more, goal: .ofLimit(goal), isInPicture: true)
        }
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness

extension Table {
    /// Notification queues.
    static var queues: Table {
        let columns: [(String, QueuesQuestion, Double)] = [
            ("posted now", .now, 60),
            ("asap, with delivery", .asap, 120),
            ("asap, coalesced onto one", .coalescedOntoOne, 90),
            ("100 others pending", .coalescedBeside(100), 90),
            ("1,000 others pending", .coalescedBeside(1000), 90),
        ]
        return Table(
            name: "queues", title: "Queues",
            questions: columns.map { column, question, goal in
                Asked(
                    question, row: "enqueue", column: column, unit: "ns per enqueue",
                    goal: .atMost(goal), isInPicture: true)
            },
            subjects: [SwitchyardQueues(), FoundationQueues()])
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness

extension Table {
    /// Notification queues.
    static var queues: Table {
        let columns: [(String, QueuesQuestion, Double)] = [
            ("posted now", .now, 0.18),
            ("asap, with delivery", .asap, 0.18),
            ("asap, coalesced onto one", .coalescedOntoOne, 0.15),
            ("100 others pending", .coalescedBeside(100), 0.15),
            ("1,000 others pending", .coalescedBeside(1000), 0.15),
        ]
        return Table(
            name: "queues", title: "Queues",
            questions: columns.map { column, question, goal in
                Asked(
                    question, row: "enqueue", column: column, unit: "ns per enqueue",
                    goal: .ofSubject("Foundation", goal), isInPicture: true)
            },
            subjects: [SwitchyardQueues(), FoundationQueues()])
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness

extension Table {
    /// Threads that post at once.
    static var threads: Table {
        Table(
            name: "threads", title: "Two threads posting at once, all posts counted",
            questions: row("typed", isTyped: true) + row("by literal name", isTyped: false),
            subjects: [
                SwitchyardThreads(), FoundationThreads(), OpenCombineThreads(), LockedArray(),
                BorrowedRecords(),
            ])
    }

    private static func row(_ name: String, isTyped: Bool) -> [Asked<ThreadsQuestion>] {
        let alone = "1 thread"
        let columns: [(String, Int, Bool, Goal?)] = [
            (alone, 1, false, nil),
            ("2 threads, the same", 2, false, .ofColumn(alone, 0.55)),
            ("2 threads, two different", 2, true, .ofColumn(alone, 0.55)),
        ]
        return columns.map { column, threads, isApart, goal in
            Asked(
                ThreadsQuestion(isTyped: isTyped, threads: threads, isApart: isApart), row: name,
                column: column, unit: "ns per post", goal: goal, isInPicture: true)
        }
    }
}

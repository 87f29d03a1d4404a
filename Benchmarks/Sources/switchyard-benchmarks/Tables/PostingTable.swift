// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness

extension Table {
    /// Observers are called on the posting thread, before `post` returns.
    static var posting: Table {
        Table(
            name: "posting", title: "Posting, observers called inline",
            questions: rows + flatRows,
            subjects: [
                SwitchyardPosting(), MessageCenterPosting(), FoundationPosting(),
                FoundationMessages(),
                OpenCombinePosting(), ClosureArray(), VirtualMethods(), FunctionPointers(),
                DictionaryLookup(), WeakMethods(),
            ])
    }

    private static var rows: [Asked<PostingQuestion>] {
        row("typed, closures", .typed, [0: 5, 1: 8, 10: 28, 100: 215, 1000: 2000], [1, 10, 100])
            + row("typed, with subject", .typedWithSubject, [0: nil, 1: nil, 10: nil, 100: nil])
            + row("typed, object and method", .method, [1: 38, 10: 330, 100: nil], [10])
            + row(
                "by name, no object", .named, [0: 35, 1: 45, 10: 80, 100: 350, 1000: 3000],
                [1, 10, 100])
            + row(
                "by name and instance", .namedWithInstance, [0: 60, 1: 70, 10: nil, 100: nil], [1])
            + row("by name and value", .namedWithValue, [1: 180, 10: nil])
    }

    private static func row(
        _ name: String, _ kind: PostingQuestion.Kind, _ goals: [Int: Double?],
        _ pictured: Set<Int> = []
    ) -> [Asked<PostingQuestion>] {
        goals.sorted { $0.key < $1.key }.map { observers, goal in
            Asked(
                PostingQuestion(kind: kind, observers: observers), row: name,
                column: observers == 1 ? "1 observer" : "\(observers)", unit: "ns per post",
                goal: goal.map { .atMost($0) }, isInPicture: pictured.contains(observers))
        }
    }

    /// What does not match should cost nothing.
    private static var flatRows: [Asked<PostingQuestion>] {
        flatRow("by name, 1 observer, beside others", .named)
            + flatRow("by name and instance, 1 observer, beside others", .namedWithInstance)
    }

    private static func flatRow(
        _ name: String, _ kind: PostingQuestion.Kind
    ) -> [Asked<PostingQuestion>] {
        let others: [(String, PostingQuestion.Others)] = [
            ("alone", .none), ("10,000 other names", .names(10_000)),
            ("1,000 other objects", .objects(1000)),
        ]
        return others.map { column, others in
            Asked(
                PostingQuestion(kind: kind, observers: 1, others: others), row: name,
                column: column, unit: "ns per post",
                goal: column == "alone" ? nil : .ofColumn("alone", 1.1))
        }
    }
}

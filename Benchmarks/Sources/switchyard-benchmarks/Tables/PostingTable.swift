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
        row(
            "typed, closures", .typed, [0: nil, 1: 3, 10: 1.65, 100: 1.3, 1000: 1.25], [1, 10, 100]
        ) { .ofSubject("unmanaged, virtual method", $0) }
            + row("typed, with subject", .typedWithSubject, [0: nil, 1: nil, 10: nil, 100: nil])
            + row("typed, object and method", .method, [1: 1.25, 10: 1, 100: nil], [10]) {
                .ofSubject("weak load, call, release", $0)
            }
            + row(
                "by name, no object", .named, [0: nil, 1: 1, 10: 0.6, 100: 0.35, 1000: nil],
                [1, 10, 100]
            ) { .ofSubject("Mutex + Dictionary look-up + copy", $0) }
            + row(
                "by name and instance", .namedWithInstance,
                [0: nil, 1: nil, 10: nil, 100: nil], [1])
            + row("by name and value", .namedWithValue, [1: 2.2, 10: nil]) {
                .ofRow("by name and instance", $0)
            }
    }

    private static func row(
        _ name: String, _ kind: PostingQuestion.Kind, _ factors: [Int: Double?],
        _ pictured: Set<Int> = [], goal: (Double) -> Goal = { .ofLimit($0) }
    ) -> [Asked<PostingQuestion>] {
        factors.sorted { $0.key < $1.key }.map { observers, factor in
            Asked(
                PostingQuestion(kind: kind, observers: observers), row: name,
                column: observers == 1 ? "1 observer" : "\(observers)", unit: "ns per post",
                goal: factor.map(goal), isInPicture: pictured.contains(observers))
        }
    }

    /// Rows with observers that do not match, which should cost nothing.
    private static var flatRows: [Asked<PostingQuestion>] {
        flatRow("by name, 1 observer, beside others", .named)
            + flatRow("by name and instance, 1 observer, beside others", .namedWithInstance)
            + patternRow
    }

    /// A row beside observers of patterns that do not match: one costs a look, and ten thousand no
    /// more.
    private static var patternRow: [Asked<PostingQuestion>] {
        let others: [(String, PostingQuestion.Others)] = [
            ("no pattern", .none), ("1 pattern", .patterns(1)),
            ("10,000 patterns", .patterns(10_000)),
        ]
        return others.map { column, others in
            Asked(
                PostingQuestion(kind: .namedInParts, observers: 1, others: others),
                row: "by name, 1 observer, beside patterns", column: column, unit: "ns per post",
                goal: column == "10,000 patterns" ? .ofColumn("1 pattern", 1.1) : nil)
        }
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

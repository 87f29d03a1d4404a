// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness

extension Table {
    /// Adding and removing observers, and what they take.
    static var registering: Table {
        Table(
            name: "registering", title: "Registering",
            questions: pairs("add and remove, by name", .named)
                + pairs("add and remove, typed", .typed) + bytes,
            subjects: [
                SwitchyardRegistering(), FoundationRegistering(), OpenCombineRegistering(),
            ])
    }

    private static func pairs(
        _ row: String, _ kind: RegisteringQuestion.Kind
    ) -> [Asked<RegisteringQuestion>] {
        let columns: [(String, Int, Double)] = [
            ("alone", 0, 0.25), ("beside 1,000", 1000, 0.5), ("beside 100,000", 100_000, 0.5),
        ]
        return columns.map { column, others, goal in
            Asked(
                .pair(kind, beside: others), row: row, column: column, unit: "ns per pair",
                goal: .ofSubject("Foundation", goal), isInPicture: others < 100_000)
        }
    }

    private static var bytes: [Asked<RegisteringQuestion>] {
        let row = "memory, by name"
        let unit = "bytes per observer"
        return [
            Asked(
                .bytes(.named, observers: 10_000, isSameName: true), row: row,
                column: "the same name", unit: unit, goal: .atMost(240)),
            Asked(
                .bytes(.named, observers: 10_000, isSameName: false), row: row,
                column: "one name each", unit: unit, goal: .atMost(400)),
            Asked(
                .bytes(.typed, observers: 10_000, isSameName: true), row: "memory, typed",
                column: "the same type", unit: unit, goal: .atMost(240)),
        ]
    }
}

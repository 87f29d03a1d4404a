// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness
internal import Foundation
internal import Testing

struct PrinterTests {
    private let table = TableReport(
        name: "t", title: "T",
        cells: [
            CellReport(
                row: "r", column: "1 < 2", unit: "ns", goal: .ofSubject("Loop", 3),
                isInPicture: true,
                measurements: [
                    Measurement(
                        subject: "Switchyard", role: .switchyard, repeats: 10, rounds: [4, 6]),
                    Measurement(subject: "Peer", role: .peer, repeats: 10, rounds: [500]),
                    Measurement(subject: "Loop", role: .limit, repeats: 10, rounds: [2, 2]),
                ]),
            CellReport(
                row: "r", column: "other", unit: "ns", goal: .ofColumn("1 < 2", 0.5),
                isInPicture: false,
                measurements: [
                    Measurement(
                        subject: "Switchyard", role: .switchyard, repeats: 10, rounds: [6, 6])
                ]),
        ])

    @Test func `A text has each figure, the ratios, and whether the goal is met`() {
        let text = TextPrinter.text(table)
        #expect(text.contains("5 (4)"))
        #expect(text.contains("500 (500)"))
        #expect(text.contains("limit: Loop"))
        #expect(text.contains("goal: ours ÷ Loop or 1 < 2"))
        #expect(text.contains("2.5 ≤ 3 ✓"))
        #expect(text.contains("1.25 ≤ 0.5 ✗"))
        #expect(text.contains("0.01"))
        #expect(text.contains("2.5"))
    }

    /// Millions a second: more is better.
    private var rates: TableReport {
        var losses = Losses()
        losses.add(expected: 2000, received: 1990)
        return TableReport(
            name: "t", title: "T",
            cells: [
                CellReport(
                    row: "r", column: "c", unit: "M/s", better: .more, goal: .ofLimit(0.3),
                    isInPicture: true,
                    measurements: [
                        Measurement(
                            subject: "Switchyard", role: .switchyard, repeats: 1, rounds: [3, 5],
                            losses: losses),
                        Measurement(subject: "Slow", role: .peer, repeats: 1, rounds: [1]),
                        Measurement(subject: "Quick", role: .peer, repeats: 1, rounds: [2]),
                        Measurement(subject: "Loop", role: .limit, repeats: 1, rounds: [8, 8]),
                    ])
            ], showsRatios: true, notes: ["There is no other."])
    }

    @Test func `The best figures are the largest where more is better`() {
        let text = TextPrinter.text(rates)
        #expect(text.contains("4 (5) 0.5×"))
        #expect(text.contains("0.5 ≥ 0.3 ✓"))
        #expect(rates.cells[0].ratio(to: .peer) == 2)
        #expect(SVGPrinter.text([rates]).contains("longer is better"))
    }

    @Test func `Tables name losses, and subjects that were not measured`() throws {
        #expect(TextPrinter.text(rates).contains("10 of 2,000"))
        #expect(TextPrinter.text(rates).contains("There is no other."))
        #expect(MarkdownPrinter.text([rates], heading: "H").contains("There is no other."))
        let data = try JSONPrinter.data([rates])
        let array = try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
        #expect(array[0]["lost"] as? Int == 10)
        #expect(array[0]["expected"] as? Int == 2000)
        #expect(array[0]["ratioToLimit"] as? Double == 0.5)
        #expect(array[0]["better"] as? String == "more")
        #expect(array[1]["lost"] == nil)
    }

    @Test func `Markdown has as many cells in each line of a table`() {
        let lines = MarkdownPrinter.text([table], heading: "H").split(separator: "\n")
            .filter { $0.hasPrefix("|") }
        #expect(lines.count >= 5)
        #expect(Set(lines.map { $0.count { $0 == "|" } }) == [4])
        let withLosses = MarkdownPrinter.text([rates], heading: "H").split(separator: "\n")
            .filter { $0.hasPrefix("|") }
        #expect(Set(withLosses.map { $0.count { $0 == "|" } }) == [4])
    }

    @Test func `JSON is an array of objects with the questions and figures`() throws {
        let data = try JSONPrinter.data([table])
        let array = try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
        #expect(array.count == 4)
        #expect(array[0]["table"] as? String == "t")
        #expect(array[0]["row"] as? String == "r")
        #expect(array[0]["column"] as? String == "1 < 2")
        #expect(array[0]["subject"] as? String == "Switchyard")
        #expect(array[0]["median"] as? Double == 5)
        #expect(array[0]["minimum"] as? Double == 4)
        #expect(array[0]["unit"] as? String == "ns")
    }

    @Test func `The picture shows the figures meant for it, well-formed, on both kinds of page`()
        throws
    {
        let svg = SVGPrinter.text([table])
        #expect(svg.contains("r, 1 &lt; 2"))
        #expect(!svg.contains("r, other"))
        #expect(svg.contains("logarithmic"))
        #expect(svg.contains("prefers-color-scheme: dark"))
        #expect(svg.components(separatedBy: "<rect class=\"peer\"").count == 2)
    }

    // MARK: - Runs beside each other

    /// A run with one cell: our rounds, and those of a limit.
    private func run(_ ours: [Double], _ limit: [Double], better: Better = .less) -> [TableReport] {
        let cell = CellReport(
            row: "r", column: "c", unit: "ns", better: better, goal: nil, isInPicture: false,
            measurements: [
                Measurement(subject: "Switchyard", role: .switchyard, repeats: 1, rounds: ours),
                Measurement(subject: "Loop", role: .limit, repeats: 1, rounds: limit),
            ])
        return [TableReport(name: "t", title: "T", cells: [cell])]
    }

    @Test func `A subject slower than the limit beyond noise is named, on any machine`()
        throws
    {
        let old = try JSONPrinter.data(run([10, 10.2, 9.9], [5, 5, 5]))
        // A machine that is twice as slow in everything.
        let same = try Comparison(run([20, 20.4, 20], [10, 10, 10]), with: old)
        #expect(same.text.contains("1 cells: nothing changed beyond noise"))
        let slower = try Comparison(run([26, 26, 25], [10, 10, 10]), with: old)
        #expect(slower.text.contains("slower: t, r, c: 2 → 2.6 × Loop"))
        let faster = try Comparison(run([7, 7, 7], [5, 5, 5]), with: old)
        #expect(faster.text.contains("0 slower and 1 faster"))
        // The rounds overlap.
        let noisy = try Comparison(run([10, 13, 14], [5, 5, 5]), with: old)
        #expect(noisy.text.contains("nothing changed"))
        let rates = try JSONPrinter.data(run([10, 10, 10], [5, 5, 5], better: .more))
        let lower = try Comparison(run([8, 8, 8], [5, 5, 5], better: .more), with: rates)
        #expect(lower.text.contains("slower: t, r, c"))
        let other = try JSONPrinter.data([TableReport(name: "u", title: "U", cells: [])])
        #expect(try Comparison(run([1], [1]), with: other).text.contains("0 cells"))
    }

    @Test func `A noisy run says so`() {
        #expect(Noise.text(run([10, 10, 10], [1])).contains("differ by 0 % in half"))
        #expect(Noise.text(run([10, 20, 30], [1])).contains("The machine does something else"))
    }
}

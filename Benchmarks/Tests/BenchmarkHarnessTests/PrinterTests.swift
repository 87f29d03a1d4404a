// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness
internal import Foundation
internal import Testing

struct PrinterTests {
    private let table = TableReport(
        name: "t", title: "T",
        cells: [
            CellReport(
                row: "r", column: "1 < 2", unit: "ns", goal: .atMost(5), isInPicture: true,
                measurements: [
                    Measurement(
                        subject: "Switchyard", role: .switchyard, repeats: 10, rounds: [4, 6]),
                    Measurement(subject: "Peer", role: .peer, repeats: 10, rounds: [500]),
                    Measurement(subject: "Loop", role: .limit, repeats: 10, rounds: [2]),
                ]),
            CellReport(
                row: "r", column: "other", unit: "ns", goal: .ofColumn("1 < 2", 0.5),
                isInPicture: false,
                measurements: [
                    Measurement(subject: "Switchyard", role: .switchyard, repeats: 10, rounds: [3])
                ]),
        ])

    @Test func `A text has each figure, the ratios, and whether the goal is met`() {
        let text = TextPrinter.text(table)
        #expect(text.contains("5 (4)"))
        #expect(text.contains("500 (500)"))
        #expect(text.contains("limit: Loop"))
        #expect(text.contains("≤ 5 ✓"))
        #expect(text.contains("≤ 0.5 × 1 < 2 ✗"))
        #expect(text.contains("0.01"))
        #expect(text.contains("2.5"))
    }

    @Test func `Markdown has as many cells in each line of a table`() {
        let lines = MarkdownPrinter.text([table], heading: "H").split(separator: "\n")
            .filter { $0.hasPrefix("|") }
        #expect(lines.count >= 5)
        #expect(Set(lines.map { $0.count { $0 == "|" } }) == [4])
    }

    @Test func `JSON is an array of objects with what was asked for`() throws {
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

    @Test func `The picture shows what is meant for it, well-formed, on both kinds of page`() throws
    {
        let svg = SVGPrinter.text([table])
        #expect(svg.contains("r, 1 &lt; 2"))
        #expect(!svg.contains("r, other"))
        #expect(svg.contains("logarithmic"))
        #expect(svg.contains("prefers-color-scheme: dark"))
        #expect(svg.components(separatedBy: "<rect class=\"peer\"").count == 2)
    }
}

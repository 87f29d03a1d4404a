// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwitchyardCore
import Testing

@testable import SwitchyardCommands
@testable import SwitchyardConsole
@testable import SwitchyardInspection

/// The table of `switchyard top` on a terminal.
@Suite("Tables on a terminal") struct TerminalTableTests {
    private func table(rows: Int, findings: Int) -> HandlerTable {
        var table = HandlerTable(
            process: 1, name: "folio", before: InspectedCenters([]), after: InspectedCenters([]),
            samples: .none, times: DeliveryTimes(TraceRecording()), seconds: 1)
        table.rows = (0..<rows).map { number in
            HandlerTable.Row(
                center: "default", context: "main", handler: "folio/main.swift:\(number)",
                hears: "\"Changed\"", busy: 0, rate: 0, waited: nil, took: nil, waiting: 0,
                lost: 0, count: 1)
        }
        table.findings = (0..<findings).map { "finding \($0), which is a rather long sentence" }
        return table
    }

    private func lines(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    @Test func `A table fits the terminal, rows and findings together`() {
        for (rows, findings) in [(0, 0), (3, 2), (30, 0), (30, 30), (2, 30), (30, 2)] {
            let table = table(rows: rows, findings: findings)
            for height in 1...50 {
                for width in [10, 40, 200] {
                    let shown = lines(table.text(height: height, width: width))
                    // The cursor stands in the last line.
                    #expect(shown.count <= max(1, height - 1))
                    #expect(shown.allSatisfy { $0.count <= width })
                }
            }
        }
    }

    @Test func `A table that fits the terminal is shown whole`() {
        let table = table(rows: 5, findings: 4)
        #expect(table.text(height: 12, width: 200) == table.text())
        #expect(lines(table.text()).count == 11)
    }

    @Test func `A table that is cut says how much is missing`() {
        let shown = lines(table(rows: 30, findings: 30).text(height: 24, width: 80))
        #expect(shown.count == 23)
        #expect(shown.contains("and 17 more"))
        #expect(shown.last == "▲ and 24 more")
    }

    @Test func `A table says how many events its times lack`() {
        var table = table(rows: 1, findings: 0)
        #expect(lines(table.text())[0] == "process 1 folio, 1 place of registration")
        table.overwritten = 7
        #expect(
            lines(table.text())[0]
                == "process 1 folio, 1 place of registration; TAKES and WAITS lack 7 events")
    }

    @Test(arguments: [
        ("", 0), ("abc", 3), ("née", 3), ("e\u{301}", 1), ("日本", 4), ("한글", 4), ("ｱ", 1),
        ("Ａ", 2), ("👍", 2), ("👩‍👩‍👧", 2), ("🇩🇪", 2), ("☺️", 2), ("▲ ×", 3), ("क्ष", 2),
    ])
    func `A text has the columns that a terminal gives it`(_ text: String, _ columns: Int) {
        #expect(text.columns == columns)
    }

    @Test func `A text that is cut takes no more columns than it may`() {
        #expect("日本語".fitting(columns: 6) == "日本語")
        #expect("日本語".fitting(columns: 5) == "日本…")
        #expect("日本語".fitting(columns: 4) == "日…")
        #expect("abc".fitting(columns: 2) == "a…")
        #expect("abc".fitting(columns: 0) == "…")
    }

    @Test func `Columns stand below each other, however wide characters are`() {
        let text = HandlerTable.aligned([["A", "B", "C"], ["日本", "x", "y"]], rightAligned: 1)
        #expect(lines(text) == ["   A  B  C", "日本  x  y"])
        var table = table(rows: 3, findings: 1)
        table.rows[1].hears = String(repeating: "名", count: 40)
        for width in 10...120 {
            let shown = lines(table.text(height: 20, width: width))
            #expect(shown.allSatisfy { $0.columns <= width })
        }
    }

    @Test func `A name is cut after 200 columns, and the last column has no spaces behind it`() {
        let long = String(repeating: "n", count: 6000)
        let text = HandlerTable.aligned([["A", "B"], [long, long], ["x", "y"], ["z", ""]])
        let cut = long.prefix(199) + "…"
        let spaces = String(repeating: " ", count: 201)
        #expect(lines(text) == ["A" + spaces + "B", cut + "  " + cut, "x" + spaces + "y", "z"])
        #expect(HandlerTable.aligned([["A"], [""]], rightAligned: 1) == "A\n\n")
    }

    @Test func `Events are read more often while some are lost in between`() {
        func batch(overwritten: UInt64) -> TraceBatch {
            TraceBatch(
                clock: .init(ticks: 0, nanoseconds: 0), interval: 1, topics: [], sites: [],
                threads: [
                    .init(ring: 1, number: 1, name: "", overwritten: overwritten, events: [])
                ])
        }
        var pace = LookPace(for: .seconds(2))
        var looks: [UInt32] = [pace.looks]
        for overwritten: UInt64 in [0, 0, 0, 0, 9, 9, 9, 9, 0] {
            pace.took(batch(overwritten: overwritten))
            looks.append(pace.looks)
        }
        #expect(looks == [5, 10, 20, 40, 50, 25, 12, 6, 5, 10])
        // There are two parts of a short look, too.
        #expect(LookPace(for: .milliseconds(6)).looks == 3)
        #expect(LookPace(for: .milliseconds(1)).looks == 1)
    }
}

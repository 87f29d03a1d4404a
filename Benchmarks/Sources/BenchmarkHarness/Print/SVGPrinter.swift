// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A picture of those cells that are meant for it: bars.
package struct SVGPrinter {
    private static let width = 860.0
    private static let bars = 330.0...760.0
    private static let lineHeight = 17.0

    private var body = ""
    private var y = 10.0

    /// A picture of `tables`, readable on light and dark pages.
    package static func text(_ tables: [TableReport]) -> String {
        var printer = SVGPrinter()
        for table in tables { printer.draw(table) }
        return printer.finished
    }

    private mutating func draw(_ table: TableReport) {
        let cells = table.cells.filter(\.isInPicture)
        guard let unit = cells.first?.unit, let better = cells.first?.better else { return }
        let scale = Scale(cells.flatMap(\.measurements).map(\.median).filter { $0 > 0 })
        y += 22
        write(table.title, x: 10, style: "title")
        y += 18
        let note = scale.isLogarithmic ? ", logarithmic scale" : ""
        let length = better == .less ? "shorter" : "longer"
        write("\(unit)\(note); \(length) is better", x: 10, style: "note")
        let top = y + 8
        for cell in cells { draw(cell, scale) }
        drawMarks(scale, from: top)
        y += 30
    }

    private mutating func draw(_ cell: CellReport, _ scale: Scale) {
        y += 26
        write("\(cell.row), \(cell.column)", x: 10, style: "group")
        for measurement in cell.measurements {
            y += Self.lineHeight
            draw(measurement, scale)
        }
    }

    private mutating func draw(_ measurement: Measurement, _ scale: Scale) {
        let length =
            scale.position(measurement.median) * (Self.bars.upperBound - Self.bars.lowerBound)
        let limit = measurement.role == .limit ? "limit: " : ""
        write(
            limit + measurement.subject, x: Self.bars.lowerBound - 8, style: "name", anchor: "end")
        body +=
            "<rect class=\"\(measurement.role.rawValue)\" x=\"\(Self.bars.lowerBound)\" "
            + "y=\"\(y - 11)\" width=\"\(max(1, length).rounded())\" height=\"13\" rx=\"2\"/>\n"
        write(
            Figure.text(measurement.median), x: Self.bars.lowerBound + length.rounded() + 6,
            style: "value")
    }

    private mutating func drawMarks(_ scale: Scale, from top: Double) {
        y += 8
        let bottom = y
        y += 14
        for mark in scale.marks {
            let length = Self.bars.upperBound - Self.bars.lowerBound
            let x = (Self.bars.lowerBound + scale.position(mark) * length).rounded()
            body +=
                "<line class=\"mark\" x1=\"\(x)\" x2=\"\(x)\" y1=\"\(top)\" y2=\"\(bottom)\"/>\n"
            write(Figure.text(mark), x: x, style: "note", anchor: "middle")
        }
    }

    private mutating func write(
        _ text: String, x: Double, style: String, anchor: String = "start"
    ) {
        body +=
            "<text class=\"\(style)\" x=\"\(x)\" y=\"\(y)\" text-anchor=\"\(anchor)\">"
            + "\(Self.escaped(text))</text>\n"
    }

    private var finished: String {
        let height = y + 20
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.width) \(height)" \
            width="\(Self.width)" height="\(height)" role="img" \
            aria-label="Benchmarks of Switchyard and its peers">
            <style>\(Self.style)</style>
            <rect class="page" width="\(Self.width)" height="\(height)"/>
            \(body)</svg>

            """
    }

    /// The page's colours follow the reader's; what stands on it is readable on both, for viewers
    /// that do not say which they are.
    private static let style = """
        text { font-family: system-ui, sans-serif; font-size: 12px; fill: #24292f }
        .page { fill: #ffffff } .title { font-size: 16px; font-weight: 600 }
        .group { font-weight: 600 } .note { fill: #57606a; font-size: 11px }
        .mark { stroke: #8c959f; stroke-opacity: 0.3 }
        .switchyard { fill: #1a7f37 } .peer { fill: #8c959f } .limit { fill: #54aeff }
        @media (prefers-color-scheme: dark) {
        text { fill: #e6edf3 } .page { fill: #0d1117 } .note { fill: #9198a1 }
        .switchyard { fill: #3fb950 } .peer { fill: #6e7681 } .limit { fill: #1f6feb } }
        """

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            default: escaped.append(character)
            }
        }
        return escaped
    }
}

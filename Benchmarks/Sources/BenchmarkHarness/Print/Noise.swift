// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The disturbance of a run by the machine.
package enum Noise {
    /// A line about how much our figures differ from round to round.
    package static func text(_ tables: [TableReport]) -> String {
        let ours = tables.flatMap(\.cells).compactMap(\.ours)
        let spreads = ours.map { Ratio(of: $0.rounds).spread }.filter(\.isFinite)
        guard let usual = Statistics.median(spreads), let most = Statistics.percentile(0.9, spreads)
        else { return "Nothing was measured." }
        func percent(_ part: Double) -> String { "\(Int((part * 100).rounded())) %" }
        let advice =
            usual > 0.2 ? " The machine does something else: run it again when it is calm." : ""
        return
            "Noise: between the rounds of a cell, our figures differ by \(percent(usual)) in half of "
            + "the cells, and by \(percent(most)) in one of ten.\(advice)"
    }
}

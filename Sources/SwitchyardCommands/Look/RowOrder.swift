// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import ArgumentParser

/// The column by which the rows of a table are sorted, the largest first.
enum RowOrder: String, CaseIterable, ExpressibleByArgument {
    case busy, rate, takes, waits, waiting, lost

    /// The key that sorts by it in `switchyard top`.
    var key: Character {
        switch self {
        case .busy: "b"
        case .rate: "s"
        case .takes: "t"
        case .waits: "w"
        case .waiting: "d"
        case .lost: "l"
        }
    }

    /// The column, in words.
    var words: String {
        switch self {
        case .busy: "busy"
        case .rate: "a second"
        case .takes: "takes"
        case .waits: "waits"
        case .waiting: "depth"
        case .lost: "lost"
        }
    }

    fileprivate func value(of row: HandlerTable.Row) -> Double {
        switch self {
        case .busy: row.busy
        case .rate: row.rate
        case .takes: row.took ?? -1
        case .waits: row.waited ?? -1
        case .waiting: Double(row.waiting)
        case .lost: Double(row.lost)
        }
    }
}

extension HandlerTable {
    /// The table with its rows in another order. Rows that are alike in it are in the order of
    /// busyness.
    func sorted(by order: RowOrder) -> HandlerTable {
        var table = self
        table.rows = rows.enumerated().sorted { one, other in
            let (first, second) = (order.value(of: one.element), order.value(of: other.element))
            return first == second ? one.offset < other.offset : first > second
        }.map(\.element)
        return table
    }
}

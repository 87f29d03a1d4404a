// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The reason why a handler is late, or that it is not, in sentences.
struct HandlerAnswer: Equatable {
    /// `fine`, `note` or `late`.
    var tone: String
    var verdict: String
    var text: String
    var hint = ""
}

extension HandlerAnswer {
    init(_ handler: FlowGraph.Handler, _ context: FlowGraph.Context?, _ graph: FlowGraph) {
        if let took = handler.row.took {
            self = HandlerTimes(handler, took: took, in: graph).answer(on: context)
        } else {
            self = .unseen(handler.row)
        }
    }

    private static func unseen(_ row: HandlerTable.Row) -> HandlerAnswer {
        HandlerAnswer(
            tone: "note", verdict: "Nothing was seen.",
            text: row.rate > 0
                ? "It is called \(LiveText.often(row.rate)), but none of these calls was traced: look at "
                    + "more events."
                : "Nothing was delivered to it in the last seconds.")
    }
}

/// The times of a handler that was traced, and the answer that follows from them: one property for
/// each verdict.
private struct HandlerTimes {
    private static let frame = 0.016

    private static let advice =
        "Do the work on another thread and come back with the result; do less of it at a time; or keep "
        + "the latest delivery alone, if the earlier ones are worth nothing then."

    private let id: String
    private let row: HandlerTable.Row
    private let took: Double
    private let waited: Double
    /// The handler that takes the most time of the context.
    private let busiest: FlowGraph.Handler?

    // The parts of sentences.
    private let origin: String
    private let context: String
    private let rate: String
    private let takes: String
    /// Empty if it is not known how long deliveries wait.
    private let waits: String

    init(_ handler: FlowGraph.Handler, took: Double, in graph: FlowGraph) {
        id = handler.id
        row = handler.row
        self.took = took
        waited = row.waited ?? 0
        let rivals = graph.handlers.filter { $0.context == handler.context }
        busiest = rivals.max { ($0.row.busy, $1.id) < ($1.row.busy, $0.id) }
        origin = LiveText.place(row.handler)
        context = LiveText.short(row.context)
        rate = LiveText.often(row.rate)
        takes = LiveText.time(took)
        waits = row.waited.map(LiveText.time) ?? ""
    }

    func answer(on context: FlowGraph.Context?) -> HandlerAnswer {
        if let context, context.isFull, let busiest {
            return busiest.id == id ? fillsContext : waitsForFullContext(busiest)
        }
        if took >= Self.frame, row.context == "main" { return holdsMainUp }
        if waited >= Self.frame, waited > took { return waitsLong }
        if waited + took >= Self.frame { return isSlow }
        if row.lost > 0 { return hasLost }
        if row.context == FlowGraph.postingThread { return isInTimeOnPoster }
        return row.waited == nil ? waitIsUnknown : isInTime
    }

    // MARK: Late

    private var fillsContext: HandlerAnswer {
        HandlerAnswer(
            tone: "late", verdict: "\(context) is full, and this handler fills it.",
            text:
                "\(origin) takes up to \(takes), \(rate): that is \(HandlerTable.percent(row.busy)) of the "
                + "time of \(context). Deliveries wait\(waits.isEmpty ? " for it" : " up to \(waits)").",
            hint: Self.advice)
    }

    private func waitsForFullContext(_ busiest: FlowGraph.Handler) -> HandlerAnswer {
        HandlerAnswer(
            tone: "late", verdict: "It waits: \(context) is full.",
            text:
                "It takes up to \(takes) itself, but waits\(waits.isEmpty ? "" : " up to \(waits)"). "
                + "\(LiveText.place(busiest.row.handler)) takes "
                + "\(HandlerTable.percent(busiest.row.busy)) of the time of \(context).")
    }

    private var holdsMainUp: HandlerAnswer {
        HandlerAnswer(
            tone: "late", verdict: "It holds main up.",
            text:
                "\(origin) takes up to \(takes), \(rate). Meanwhile main shows nothing new: a frame lasts "
                + "16 ms.",
            hint: Self.advice)
    }

    private var waitsLong: HandlerAnswer {
        var text = "It waits up to \(waits) for \(context), and takes up to \(takes) itself."
        if let busiest, busiest.id != id, busiest.row.busy > 0 {
            text +=
                " Of the time of \(context), \(LiveText.place(busiest.row.handler)) takes "
                + "\(HandlerTable.percent(busiest.row.busy))."
        }
        return HandlerAnswer(tone: "late", verdict: "It is late because it waits.", text: text)
    }

    private var hasLost: HandlerAnswer {
        HandlerAnswer(
            tone: "late", verdict: "It has lost deliveries.",
            text: "\(LiveText.number(Double(row.lost))) did not reach it in the last seconds.")
    }

    // MARK: Noteworthy

    private var isSlow: HandlerAnswer {
        HandlerAnswer(
            tone: "note", verdict: "It is slow.",
            text: "\(origin) takes up to \(takes), \(rate), and holds \(context) up for as long.")
    }

    private var waitIsUnknown: HandlerAnswer {
        HandlerAnswer(
            tone: "note", verdict: "It is not known how long it waits.",
            text:
                "It takes up to \(takes), \(rate). When its deliveries were posted was not seen, or is more "
                + "than half a minute ago.")
    }

    // MARK: Fine

    private var isInTimeOnPoster: HandlerAnswer {
        HandlerAnswer(
            tone: "fine", verdict: "It is in time.",
            text:
                "It runs on the posting thread and takes up to \(takes), \(rate): the poster waits for it."
        )
    }

    private var isInTime: HandlerAnswer {
        HandlerAnswer(
            tone: "fine", verdict: "It is in time.",
            text: "It waits up to \(waits) for \(context), then takes up to \(takes), \(rate).")
    }
}

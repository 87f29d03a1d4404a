// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The reason why a handler is late, or that it is not, in sentences.
struct HandlerAnswer: Equatable {
    /// `fine`, `note` or `late`.
    var tone: String
    var verdict: String
    var text: String
    var hint = ""

    private static let frame = 0.016

    init(_ handler: FlowGraph.Handler, _ context: FlowGraph.Context?, _ graph: FlowGraph) {
        let row = handler.row
        let place = LiveText.place(row.handler)
        let name = LiveText.short(row.context)
        let rate = LiveText.often(row.rate)
        guard let took = row.took else {
            (tone, verdict) = ("note", "Nothing was seen.")
            text =
                row.rate > 0
                ? "It is called \(rate), but none of these calls was traced: look at more events."
                : "Nothing was delivered to it in the last seconds."
            return
        }
        let takes = LiveText.time(took)
        let waits = row.waited.map(LiveText.time) ?? ""
        let waited = row.waited ?? 0
        let rivals = graph.handlers.filter { $0.context == handler.context }
        let busiest = rivals.max { ($0.row.busy, $1.id) < ($1.row.busy, $0.id) }
        if let context, context.isFull, busiest?.id == handler.id {
            (tone, verdict) = ("late", "\(name) is full, and this handler fills it.")
            text =
                "\(place) takes up to \(takes), \(rate): that is \(HandlerTable.percent(row.busy)) of the "
                + "time of \(name). Deliveries wait\(waits.isEmpty ? " for it" : " up to \(waits)")."
            hint = Self.advice
        } else if let context, context.isFull, let busiest {
            (tone, verdict) = ("late", "It waits: \(name) is full.")
            text =
                "It takes up to \(takes) itself, but waits\(waits.isEmpty ? "" : " up to \(waits)"). "
                + "\(LiveText.place(busiest.row.handler)) takes "
                + "\(HandlerTable.percent(busiest.row.busy)) of the time of \(name)."
        } else if took >= Self.frame, row.context == "main" {
            (tone, verdict) = ("late", "It holds main up.")
            text =
                "\(place) takes up to \(takes), \(rate). Meanwhile main shows nothing new: a frame lasts "
                + "16 ms."
            hint = Self.advice
        } else if waited >= Self.frame, waited > took {
            (tone, verdict) = ("late", "It is late because it waits.")
            text = "It waits up to \(waits) for \(name), and takes up to \(takes) itself."
            if let busiest, busiest.id != handler.id, busiest.row.busy > 0 {
                text +=
                    " Of the time of \(name), \(LiveText.place(busiest.row.handler)) takes "
                    + "\(HandlerTable.percent(busiest.row.busy))."
            }
        } else if waited + took >= Self.frame {
            (tone, verdict) = ("note", "It is slow.")
            text = "\(place) takes up to \(takes), \(rate), and holds \(name) up for as long."
        } else if row.lost > 0 {
            (tone, verdict) = ("late", "It has lost deliveries.")
            text = "\(LiveText.number(Double(row.lost))) did not reach it in the last seconds."
        } else if row.context == FlowGraph.postingThread {
            (tone, verdict) = ("fine", "It is in time.")
            text =
                "It runs on the posting thread and takes up to \(takes), \(rate): the poster waits for it."
        } else if row.waited != nil {
            (tone, verdict) = ("fine", "It is in time.")
            text = "It waits up to \(waits) for \(name), then takes up to \(takes), \(rate)."
        } else {
            (tone, verdict) = ("note", "It is not known how long it waits.")
            text =
                "It takes up to \(takes), \(rate). When its deliveries were posted was not seen, or is more "
                + "than half a minute ago."
        }
    }

    private static let advice =
        "Do the work on another thread and come back with the result; do less of it at a time; or keep "
        + "the latest delivery alone, if the earlier ones are worth nothing then."
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardInspection

/// Findings about how long handlers run: handlers that hold up the main thread, and contexts that
/// have no time left.
enum BusyFindings {
    /// The time of a frame at 60 a second, in seconds.
    private static let longestOnMain = 0.016
    /// The share of a thread's time beyond which its deliveries wait longer and longer.
    static let fullShare = 0.9

    /// The number of calls that are too long from which on they are a finding: a thread that the
    /// system had to interrupt makes one.
    private static let fewestSlowCalls = 3
    /// The time of such calls in all, in seconds, from which on even one is a finding: an
    /// interrupted thread goes on before that.
    private static let longestInAll = 0.1

    /// The time in seconds from which on a call holds up the others of its thread.
    private static let longestBesideOthers = DeliveryTimes.Times.long

    /// A finding about several handlers of a thread.
    struct OfThread {
        var text: String
        /// The handler that the others wait for.
        var cause: HandlerTable.Row
    }

    /// A sentence for each finding.
    ///
    /// - Parameter times: the times of each row.
    static func sentences(
        for rows: [HandlerTable.Row], _ times: [DeliveryTimes.Times]
    ) -> [String] {
        zip(rows, times).compactMap(slow) + holdingUp(Array(zip(rows, times))).map(\.text)
            + full(rows).map(\.text)
    }

    /// The sentence for a handler that holds up the main thread; nil for another. A handler on the
    /// posting thread does so where main posts.
    static func slow(_ row: HandlerTable.Row, _ times: DeliveryTimes.Times) -> String? {
        let handler = "the handler for \(row.hears), registered at \(row.handler), takes up to "
        let advice =
            " on the main thread, which shows nothing new meanwhile: do the work on another thread, "
            + "or less of it at a time"
        if row.context == "main", let least = row.leastMeanTime, least > longestOnMain {
            let time =
                row.meanTime.map { "about \(HandlerTable.time($0))" }
                ?? "at least \(HandlerTable.time(least))"
            return "the handler for \(row.hears), registered at \(row.handler), takes \(time)"
                + advice
        }
        if row.context == "main",
            let longest = slowest(times.takes, above: longestOnMain, inAll: longestInAll)
        {
            return handler + HandlerTable.time(longest) + advice
        }
        // A program without windows may post there, and has more time.
        if let longest = slowest(times.inlineOnMain, above: longestBesideOthers, inAll: .infinity) {
            return handler + HandlerTable.time(longest)
                + " inside posts of the main thread: give it a context of its own, or less work at a time"
        }
        return nil
    }

    /// The longest of the calls that take longer than a limit, if they are more than what a machine
    /// with other work to do makes of quick ones.
    private static func slowest(
        _ calls: [Double], above limit: Double, inAll longest: Double
    ) -> Double? {
        let slow = calls.filter { $0 > limit }
        guard slow.count >= fewestSlowCalls || slow.reduce(0, +) >= longest else { return nil }
        return slow.max()
    }

    /// A handler with its times.
    typealias Timed = (row: HandlerTable.Row, times: DeliveryTimes.Times)

    /// A finding for each handler for which quick ones on the same thread had to wait.
    static func holdingUp(_ handlers: [Timed]) -> [OfThread] {
        let others = handlers.filter { $0.row.context != "main" }
        let contexts = Dictionary(grouping: others, by: \.row.context)
            .filter { $0.value.map(\.row).haveOneThread }
        return contexts.sorted { $0.key < $1.key }.compactMap { holdingUp($1, on: $0) }
    }

    /// The finding for a context: the slowest handler for which a quick one waited, and the one that
    /// waited the longest for it.
    private static func holdingUp(_ handlers: [Timed], on context: String) -> OfThread? {
        let slow = handlers.filter { $0.times.longestCall >= longestBesideOthers }
            .sorted { $0.times.longestCall > $1.times.longestCall }
        // In a pause, it waits for nobody.
        let quick = handlers.filter {
            $0.times.longestCall < longestBesideOthers && !$0.row.isPaused
        }
        for slow in slow {
            // Deliveries that waited while other handlers ran did not wait for this one.
            let waits = quick.map { ($0.row, $0.times.longestWait(duringCallsOf: slow.times)) }
            guard let (late, wait) = waits.max(by: { $0.1 < $1.1 }), wait >= longestBesideOthers
            else { continue }
            let text =
                "the handler for \(slow.row.hears), registered at \(slow.row.handler), takes up to "
                + "\(HandlerTable.time(slow.times.longestCall)) on \(context), and others wait for it there: "
                + "the one for \(late.hears), registered at \(late.handler), up to "
                + "\(HandlerTable.time(wait)). Give one of them a context of its own"
            return OfThread(text: text, cause: slow.row)
        }
        return nil
    }

    /// A finding for each thread that has no time left.
    static func full(_ rows: [HandlerTable.Row]) -> [OfThread] {
        let contexts = Dictionary(grouping: rows, by: \.context).filter { $0.value.haveOneThread }
        return contexts.sorted { $0.key < $1.key }.compactMap { context, rows in
            let busy = rows.reduce(0) { $0 + $1.busy }
            // Several contexts of one name may be as busy in all, but then nothing waits. A busy
            // one whose deliveries do not become more has time for all of them, unless a bound drops
            // the rest. Posts made on main do not wait for main.
            let consequence =
                rows.areFallingBehind
                ? ", and deliveries wait longer and longer"
                : rows.contains { $0.lost > 0 } ? ", and deliveries are lost" : ""
            guard busy >= fullShare, context == "main" || !consequence.isEmpty,
                let busiest = rows.max(by: { $0.busy < $1.busy })
            else {
                return nil
            }
            let text =
                "\(context) has no time left: its handlers ran for "
                + "\(HandlerTable.percent(busy)) of the time, the one registered at "
                + "\(busiest.handler) for \(HandlerTable.percent(busiest.busy))"
                + consequence
            return OfThread(text: text, cause: busiest)
        }
    }
}

extension DeliveryTimes.Times {
    fileprivate var longestCall: Double { takes.max() ?? 0 }
}

extension [HandlerTable.Row] {
    /// Whether deliveries come faster than they are made: those that wait in the mailboxes have become
    /// more, and by more than what comes and goes.
    var areFallingBehind: Bool {
        var (before, after) = (MailboxDepths(), MailboxDepths())
        for row in self {
            before.add(row.depthsBefore)
            after.add(row.depths)
        }
        let growth = after.growth(since: before)
        let made = reduce(0) { $0 + $1.rate * $1.seconds }
        return growth >= 3 && Double(growth) >= made / 20
    }

    /// Whether one thread at a time runs these handlers, which are all that have one label of a
    /// context. Each posting thread is another, and a handler that is concurrent has several.
    var haveOneThread: Bool {
        guard let context = first?.context, reduce(0, { $0 + $1.busy }) < 1.05 else { return false }
        if context == "main" { return true }
        let names = ["thread ", "dispatch queue ", "operation queue ", "actor ", "executor "]
        // A label says the type of an actor, or a name that several queues may have. Where one
        // line has registered more than once, each registration may have a context of its own.
        return names.contains { context.hasPrefix($0) } && allSatisfy { $0.count == 1 }
    }
}

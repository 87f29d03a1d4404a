// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardInspection

/// The registrations of a process, with their deliveries in a span of time.
struct HandlerTable: Encodable, Equatable {
    /// One registration.
    struct Row: Encodable, Equatable {
        var center: String
        /// The context on which the handler runs.
        var context: String
        /// The origin of the registrations.
        var handler: String
        /// The topic and subject.
        var hears: String
        /// The share of the time in which a thread was inside the handler.
        var busy: Double
        /// Whether `busy` has the time of all registrations: looks at a thread do not tell one from
        /// another that had its id before it and has ended.
        var isBusyKnown = true
        /// The number of deliveries a second.
        var rate: Double
        /// The seconds that 99 of 100 deliveries did not exceed in the mailbox; nil without any.
        var waited: Double?
        /// The seconds that 99 of 100 calls of the handler did not exceed; nil without any.
        var took: Double?
        /// The seconds that a call took on average, where `took` is not known but this is.
        var tookOnAverage: Double?
        /// The number of deliveries that wait in the mailboxes of its registrations.
        var waiting: Int
        /// The number of deliveries lost in the span.
        var lost: UInt64
        /// The number of posts in the span that its condition turned away.
        var filtered: UInt64 = 0
        /// The number of posts in the span that it consumed.
        var consumed: UInt64 = 0
        /// Whether its deliveries are kept until a pause ends.
        var isPaused = false
        /// The number of registrations of the same origin, with the same topic, subject and
        /// context.
        var count: Int
        /// The deliveries that wait, by mailbox.
        var depths = MailboxDepths()
        /// The deliveries that waited at the beginning of the span, by mailbox.
        var depthsBefore = MailboxDepths()
        /// The length of the span.
        var seconds = 1.0

        private enum CodingKeys: String, CodingKey {
            case center, context, handler, hears, busy, isBusyKnown, rate, waited, took
            case tookOnAverage, waiting
            case lost, filtered, consumed, isPaused, count
        }
    }

    var process: Int32
    var name: String
    var rows: [Row]
    /// The findings: things that look like mistakes, a sentence each.
    var findings: [String]
    /// The number of events in the span that were overwritten before they could be read: the times
    /// lack them.
    var overwritten: UInt64

    /// - Parameters:
    ///   - before: the registrations at the beginning of the span.
    ///   - after: the registrations at its end.
    ///   - samples: looks during the span.
    ///   - times: how long deliveries waited and handlers ran in the span.
    ///   - growth: the findings of a ``GrowthWatch``.
    ///   - seconds: the length of the span.
    ///   - overwritten: the events in the span that were overwritten before they could be read.
    init(
        process: Int32, name: String, before: InspectedCenters, after: InspectedCenters,
        samples: HandlerSamples, times: DeliveryTimes, growth: [String] = [], seconds: Double,
        overwritten: UInt64 = 0
    ) {
        self.process = process
        self.name = name
        self.overwritten = overwritten
        let looks = samples.looksByRegistration
        let old = before.registrationsByIdentity
        let reused = InspectedCenters.reusedIDs([before, after]).union(times.reusedIDs)
        var rows: [Row] = []
        var positions: [[String]: Int] = [:]
        var rowTimes: [DeliveryTimes.Times] = []
        for center in after.centers {
            for registration in center.registrations {
                let identity = InspectedCenters.Identity(center, registration)
                let isLast = times.registrations.isLast(registration.id, identity)
                let isReused = reused.contains(registration.id) || isLast == false
                let found = isReused ? 0 : looks[registration.id] ?? 0
                var row = Row(
                    center.name, registration,
                    old[identity],
                    share: Double(found) / Double(max(samples.looks, 1)), seconds)
                row.isBusyKnown = !isReused
                let key = [row.center, row.context, row.handler, row.hears]
                let isToldApart = isLast ?? !isReused
                let own = isToldApart ? times.times[registration.id] : nil
                if let position = positions[key] {
                    rows[position].add(row)
                    rowTimes[position] += own ?? DeliveryTimes.Times()
                } else {
                    positions[key] = rows.count
                    rows.append(row)
                    rowTimes.append(own ?? DeliveryTimes.Times())
                }
            }
        }
        for (index, times) in rowTimes.enumerated() {
            rows[index].waited = DeliveryTimes.Times.slowest(of: times.waits)
            rows[index].took = DeliveryTimes.Times.slowest(of: times.takes)
            rows[index].tookOnAverage = rows[index].meanTime
        }
        findings =
            after.centers.flatMap { Self.counted($0.findings.map(\.text)) }
            + growth + BusyFindings.sentences(for: rows, rowTimes)
            + Explanation.findings(ofUnheard: times.unheard, in: after)
        self.rows = rows.sorted {
            ($0.busy, $0.rate, Double($0.waiting)) > ($1.busy, $1.rate, Double($1.waiting))
        }
    }

    /// Each sentence once, with the number of times that it stands there.
    static func counted(_ sentences: [String]) -> [String] {
        var counts: [String: Int] = [:]
        for sentence in sentences { counts[sentence, default: 0] += 1 }
        var isSaid: Set<String> = []
        return sentences.filter { isSaid.insert($0).inserted }.map { sentence in
            let count = counts[sentence] ?? 1
            return count > 1 ? "\(sentence) (\(count) times)" : sentence
        }
    }
}

extension HandlerTable.Row {
    /// Whether deliveries were made of which no time is known: those of posts that were made before
    /// somebody traced, or that were not traced.
    var hasUnknownTimes: Bool { took == nil && rate > 0 }

    /// The seconds that a call took on average, if no call's own time is known; nil also if there were
    /// so few calls, or such short ones, that the mean says little.
    var meanTime: Double? {
        isTimed && calls > 4.5 ? busy / rate : nil
    }

    /// The seconds that a call took on average at least, likewise, whatever the number of calls: one
    /// may have ended before the span, or after it.
    var leastMeanTime: Double? {
        isTimed ? busy * seconds / (calls + 1) : nil
    }

    private var calls: Double { rate * seconds }

    /// Whether no call's own time is known, and the looks have met the handler often enough.
    private var isTimed: Bool { hasUnknownTimes && isBusyKnown && busy >= 0.05 }

    /// One registration.
    ///
    /// - Parameters:
    ///   - before: the same at the beginning of the span; nil if it was not there.
    ///   - share: the share of the time in which a thread was inside the handler.
    init(
        _ center: String, _ now: InspectedCenters.Registration,
        _ before: InspectedCenters.Registration?, share: Double, _ seconds: Double
    ) {
        self.center = center
        context = now.context
        handler = now.origin
        hears = now.object == "any object" ? now.topic : "\(now.topic), \(now.object)"
        busy = share
        rate = Double(now.delivered &- (before?.delivered ?? 0)) / max(seconds, 0.001)
        self.seconds = seconds
        depths.add(now)
        if let before { depthsBefore.add(before) }
        waiting = depths.sum
        lost = now.lost &- (before?.lost ?? 0)
        // A registration that ends during the look tells no number any more.
        filtered = now.filtered - min(before?.filtered ?? 0, now.filtered)
        consumed = now.consumed - min(before?.consumed ?? 0, now.consumed)
        isPaused = now.flags.contains(.paused) || before?.flags.contains(.paused) == true
        count = 1
    }

    /// Adds a registration of the same origin.
    mutating func add(_ other: Self) {
        busy += other.busy
        isBusyKnown = isBusyKnown && other.isBusyKnown
        rate += other.rate
        depths.add(other.depths)
        depthsBefore.add(other.depthsBefore)
        waiting = depths.sum
        // Numbers come from another process, which may send any.
        lost &+= other.lost
        filtered &+= other.filtered
        consumed &+= other.consumed
        isPaused = isPaused || other.isPaused
        count += 1
    }
}

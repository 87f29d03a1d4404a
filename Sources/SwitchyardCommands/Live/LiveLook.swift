// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardInspection

/// The last seconds of a process, kept up to date by asking it again and again. For one thread.
final class LiveLook {
    /// The seconds that the picture is about.
    private static let span = 5.0
    /// The longest time in a mailbox that is known of a delivery, in seconds.
    private static let longestWait = 30.0
    /// Between two looks of which one has to have more registrations than the other.
    private static let growthPause = Duration.seconds(2)
    /// The parts of a round. Between two, the events are read: a thread that makes 4,096 in that
    /// time loses the oldest.
    private static let parts = 3
    /// Looks at the threads in each part, and the microseconds after each.
    private static let looks: UInt32 = 50
    private static let pause: UInt32 = 1000

    private struct Count {
        var time: ContinuousClock.Instant
        var centers: InspectedCenters
    }

    private struct Round {
        var time: ContinuousClock.Instant
        var samples: HandlerSamples
        var events: Int
        var overwritten: UInt64
    }

    let process: InspectableProcess
    private(set) var cost = LiveCost()
    private var counts: [Count] = []
    private var rounds: [Round] = []
    private var recording = TraceRecording()
    private var begin = ContinuousClock.now
    private var growth = GrowthWatch(every: LiveLook.growthPause)
    private var sites: [UInt32: String] = [:]
    /// The sites that have no line yet are looked for together, not one by one.
    private var unknownSites: [UInt32: [TraceBatch.Frame]] = [:]
    /// A program may make new ones all the time, and looking for them takes a moment.
    private var nextSearch = ContinuousClock.now
    private static let searchPause = Duration.seconds(2)
    private var ended: [UInt64: String] = [:]
    /// The registrations are asked for less often where there are so many that it takes long.
    private var nextCount = ContinuousClock.now

    init(_ process: InspectableProcess) throws {
        self.process = process
        try start()
    }

    /// Begins to count and trace. The seconds before are forgotten.
    func start() throws {
        counts = []
        rounds = []
        recording = TraceRecording()
        begin = .now
        nextCount = .now
        try process.count()
        try process.trace(eventsPerSecond: cost.budget)
    }

    /// Changes the limit of traced events a second.
    func trace(eventsPerSecond: UInt32) throws {
        cost.budget = eventsPerSecond
        try process.trace(eventsPerSecond: eventsPerSecond)
    }

    /// Changes the limit of traced events a second from the next start on.
    func budgetWhenStarted(_ eventsPerSecond: UInt32) { cost.budget = eventsPerSecond }

    /// Asks the process once; takes about a sixth of a second.
    func lookAgain() throws {
        if ContinuousClock.now >= nextCount { try count() }
        var round = Round(time: .now, samples: .none, events: 0, overwritten: 0)
        for _ in 0..<Self.parts {
            round.samples += try process.samples(looks: Self.looks, pause: Self.pause)
            if let batch = try process.events() { add(batch, to: &round) }
        }
        recording.keepLast(UInt64(Self.span * 1e9), waiting: UInt64(Self.longestWait * 1e9))
        cost.overwritten &+= round.overwritten
        rounds.append(round)
        rounds.removeAll { round.time - $0.time > .seconds(Self.span) }
    }

    private func add(_ batch: TraceBatch, to round: inout Round) {
        cost.interval = batch.interval
        for thread in batch.threads {
            round.events += thread.events.count
            // A number from another process, which may send any.
            round.overwritten &+= thread.overwritten
        }
        for site in batch.sites { unknownSites[site.number] = site.frames }
        recording.add(batch)
    }

    private func count() throws {
        let start = ContinuousClock.now
        let centers = try process.centers()
        let end = ContinuousClock.now
        for (id, place) in counts.last?.centers.observers ?? [:] { ended[id] = place.origin }
        for id in centers.observers.keys { ended[id] = nil }
        if ended.count > 10_000 { ended = [:] }
        counts.append(Count(time: start, centers: centers))
        growth.look(at: centers, start)
        while counts.count > 2, start - counts[1].time >= .seconds(Self.span) {
            counts.removeFirst()
        }
        nextCount = start + max(.milliseconds(400), (end - start) * 20)
    }

    /// Finds the lines of new call sites, which takes a moment, and nothing of the process.
    func findSites() {
        if unknownSites.isEmpty || .now < nextSearch { return }
        let names = CallSiteNames(unknownSites, of: process.number)
        for (number, frames) in unknownSites {
            sites[number] = names.line(of: frames) ?? FlowEvents.unknownPlace
        }
        unknownSites = [:]
        nextSearch = .now + Self.searchPause
    }

    /// The last seconds, as they are known now; nil before there is anything to compare.
    var window: LiveWindow? {
        guard let first = counts.first, let last = counts.last, counts.count > 1 else { return nil }
        let now = ContinuousClock.now
        var samples = HandlerSamples.none
        for round in rounds { samples += round.samples }
        let traced = min(Self.span, (now - begin) / .seconds(1))
        var cost = cost
        cost.eventsPerSecond = Double(rounds.reduce(0) { $0 + $1.events }) / max(traced, 0.1)
        let overwritten = rounds.reduce(UInt64(0)) { $0 &+ $1.overwritten }
        cost.lostShare =
            Double(overwritten) / max(1, Double(overwritten) + cost.eventsPerSecond * traced)
        cost.looksPerSecond = Double(samples.looks) / max(traced, 0.1)
        return LiveWindow(
            process: process.number, name: process.name, before: first.centers,
            after: last.centers, seconds: (last.time - first.time) / .seconds(1),
            between: counts.dropFirst().dropLast().map(\.centers), samples: samples,
            recording: recording, tracedSeconds: traced, topics: process.topics, sites: sites,
            ended: ended, growth: growth.sentences, cost: cost)
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardInspection

/// Records the trace events of another process.
final class ProcessRecorder {
    private let process: InspectableProcess
    /// The seconds at the end that are kept; nil: everything.
    private let keptSeconds: Double?
    private(set) var recording = TraceRecording()
    /// The registrations that there were, by their ids.
    private var observers: [UInt64: String] = [:]

    /// Between two questions: a thread that makes 4,096 events in that time loses the oldest.
    private static let pause: UInt32 = 50_000

    init(
        _ process: InspectableProcess, eventsPerSecond: UInt32, keepsLast keptSeconds: Double?
    ) throws {
        self.process = process
        self.keptSeconds = keptSeconds
        try process.trace(eventsPerSecond: eventsPerSecond)
        learnObservers()
        if let batch = try process.events() { recording.add(batch) }
    }

    /// Records until the time is over, `isOver` says so, or the process ends.
    func record(for seconds: Double, until isOver: () -> Bool) {
        let end = ContinuousClock.now + .seconds(seconds)
        var rounds = 0
        while ContinuousClock.now < end, !isOver() {
            usleep(Self.pause)
            guard let batch = try? process.events() else { return }
            recording.add(batch)
            rounds += 1
            // Registrations come and go; those that live for less than a second have no name.
            if rounds % 20 == 0 { roundIsOver() }
        }
        roundIsOver()
    }

    private func roundIsOver() {
        learnObservers()
        if let keptSeconds { recording.keepLast(UInt64(min(keptSeconds, 1e9) * 1e9)) }
    }

    private func learnObservers() {
        guard let centers = try? process.centers() else { return }
        observers.merge(centers.observers) { $1 }
    }

    /// The trace of what was recorded.
    func trace() -> PerfettoTrace {
        let sites = recording.usedSites
        let names = CallSiteNames(sites)
        return PerfettoTrace(
            recording, process: process.number, processName: process.name, observers: observers,
            sites: sites.compactMapValues { names.line(of: $0) })
    }
}

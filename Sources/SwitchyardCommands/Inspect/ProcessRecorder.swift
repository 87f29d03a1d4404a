// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardConsole
internal import SwitchyardCore
internal import SwitchyardInspection

/// Records the trace events of another process.
final class ProcessRecorder {
    private let process: InspectableProcess
    /// The seconds at the end that are kept; nil: everything.
    private let keptSeconds: Double?
    private(set) var recording = TraceRecording()
    /// The names of the registrations that there were.
    private var observers = ObserverNames()

    init(
        _ process: InspectableProcess, eventsPerSecond: UInt32, keepsLast keptSeconds: Double?
    ) throws {
        self.process = process
        self.keptSeconds = keptSeconds
        try process.trace(eventsPerSecond: eventsPerSecond)
        learnObservers()
        if let batch = try process.events() { recording.add(batch) }
    }

    /// Asks for the events since the last question.
    ///
    /// - Returns: Whether the process answered. If not, the log says why.
    func ask(_ log: StandardErrorLog) -> Bool {
        do {
            if let batch = try process.events() { recording.add(batch) }
            return true
        } catch {
            log.say("process \(process.number) \(process.name): \(error); its recording ends here")
            process.giveUp()
            return false
        }
    }

    /// Learns the names of the registrations, and leaves out events that are too old to be kept.
    /// Registrations come and go: those that live for less than the time between two calls have no
    /// name.
    func catchUp() {
        learnObservers()
        guard let keptSeconds else { return }
        recording.keepLast(UInt64(min(keptSeconds, 1e9) * 1e9))
        observers.forget(before: recording.keptSince)
    }

    private func learnObservers() {
        let asked = TraceClock.reading.nanoseconds
        guard let centers = try? process.centers() else { return }
        observers.learn(centers, asked: asked, answered: TraceClock.reading.nanoseconds)
    }

    /// The recording, with its names.
    func recorded() -> RecordedProcess {
        let sites = recording.usedSites
        let names = CallSiteNames(sites)
        return RecordedProcess(
            recording, number: process.number, name: process.name, observers: observers,
            sites: sites.compactMapValues { names.line(of: $0) })
    }
}

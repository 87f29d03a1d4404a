// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardConsole
internal import SwitchyardInspection

/// Records the trace events of another process.
final class ProcessRecorder {
    private let process: InspectableProcess
    /// The seconds at the end that are kept; nil: everything.
    private let keptSeconds: Double?
    private(set) var recording = TraceRecording()
    /// The registrations that there were, by their ids.
    private var observers: [UInt64: RecordedProcess.Observer] = [:]

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
        if let keptSeconds { recording.keepLast(UInt64(min(keptSeconds, 1e9) * 1e9)) }
    }

    private func learnObservers() {
        guard let centers = try? process.centers() else { return }
        observers.merge(centers.observers) { $1 }
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

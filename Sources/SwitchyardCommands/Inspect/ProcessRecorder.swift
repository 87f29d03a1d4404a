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

    private enum Question {
        case events(InspectableProcess.Asked)
        /// Asked for at a time, in nanoseconds since the system's start.
        case names(InspectableProcess.Asked, at: UInt64)
    }

    /// The question that is not answered yet.
    private var pending: Question?
    /// Whether the answer did not come when it was waited for.
    private var isLate = false
    /// Whether the next question is for names.
    private var isForNames = false
    /// The time of the next question for names.
    private var nextNames = ContinuousClock.now

    init(
        _ process: InspectableProcess, eventsPerSecond: UInt32, keepsLast keptSeconds: Double?
    ) throws {
        self.process = process
        self.keptSeconds = keptSeconds
        try process.trace(eventsPerSecond: eventsPerSecond)
        learnObservers()
        if let batch = try process.events() { recording.add(batch) }
    }

    /// Asks the next question, unless one is not answered yet: for the events since the last time,
    /// or for names.
    ///
    /// - Returns: Whether the process can be asked. If not, the log says why.
    func ask(_ log: StandardErrorLog) -> Bool {
        if pending != nil { return true }
        return attempt(log) {
            if isForNames {
                pending = .names(try process.askForCenters(), at: TraceClock.reading.nanoseconds)
            } else {
                pending = .events(try process.askForEvents())
            }
            isForNames = false
        }
    }

    /// Takes the answer. If it does not come soon, a later call does: meanwhile, other processes
    /// are asked.
    ///
    /// - Returns: Whether the process goes on. If not, the log says why.
    func takeAnswer(_ log: StandardErrorLog) -> Bool {
        attempt(log) {
            let milliseconds: Int32 = isLate ? 1 : 100
            switch pending {
            case .events(let asked):
                let batch = try process.events(asked, within: milliseconds)
                isLate = batch == nil
                if let batch { recording.add(batch) }
            case .names(let asked, let time):
                let centers = try process.centers(asked, within: milliseconds)
                isLate = centers == nil
                if let centers { learn(centers, asked: time) }
            case nil: return
            }
            if !isLate { pending = nil }
        }
    }

    private func attempt(_ log: StandardErrorLog, _ body: () throws -> Void) -> Bool {
        do {
            try body()
            return true
        } catch {
            log.say("process \(process.number) \(process.name): \(error); its recording ends here")
            process.giveUp()
            return false
        }
    }

    /// Has the names of the registrations learned next, and leaves out events that are too old to
    /// be kept. Registrations come and go: those that live for less than the time between two calls
    /// have no name. A process with very many spends a twentieth of its time on the answers at most.
    func catchUp() {
        isForNames = .now >= nextNames
        keepLast()
    }

    /// Learns the last names, and leaves out what is too old at the end.
    func finish() {
        // A process that is stopped says no names.
        if pending == nil { learnObservers() }
        keepLast()
    }

    private func keepLast() {
        guard let keptSeconds else { return }
        recording.keepLast(UInt64(min(keptSeconds, 1e9) * 1e9))
        observers.forget(before: recording.keptSince)
    }

    private func learnObservers() {
        let asked = TraceClock.reading.nanoseconds
        if let centers = try? process.centers() { learn(centers, asked: asked) }
    }

    private func learn(_ centers: InspectedCenters, asked: UInt64) {
        let answered = TraceClock.reading.nanoseconds
        observers.learn(centers, asked: asked, answered: answered)
        nextNames = .now + .nanoseconds(Int64(clamping: answered - asked)) * 20
    }

    /// The recording, with its names.
    func recorded() -> RecordedProcess {
        let sites = recording.usedSites
        let names = CallSiteNames(sites, of: process.number)
        return RecordedProcess(
            recording, number: process.number, name: process.name, observers: observers,
            sites: sites.compactMapValues { names.line(of: $0) })
    }
}

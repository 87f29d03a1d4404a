// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardCore

/// The recording of one process, with the names for it.
package struct RecordedProcess {
    /// The names of an observation.
    package struct Observer: Equatable, Sendable {
        /// The file and line where it was registered.
        package let origin: String
        package let context: String

        package init(origin: String, context: String) {
            self.origin = origin
            self.context = context
        }
    }

    let recording: TraceRecording
    /// The system's number of the process.
    let number: Int32
    let name: String
    /// The names of observations, by their ids.
    let observers: [UInt64: Observer]
    /// The lines of call sites, by their numbers.
    let sites: [UInt32: String]

    package init(
        _ recording: TraceRecording, number: Int32, name: String, observers: [UInt64: Observer],
        sites: [UInt32: String]
    ) {
        self.recording = recording
        self.number = number
        self.name = name
        self.observers = observers
        self.sites = sites
    }

    /// The name that a file shows for an observation.
    func observer(_ id: UInt64) -> String { observers[id]?.origin ?? "an ended observation" }

    /// The numbers of deliveries that waited for each context.
    var waitingCounts: WaitingCounts {
        WaitingCounts(recording, contexts: observers.mapValues(\.context))
    }

    /// The name that a file shows for a slice.
    func name(of slice: TraceSlices.Slice) -> String {
        switch slice.kind {
        case .post(let topic, _, _): "post \(recording.topics[topic] ?? "?")"
        case .handler(let id): observer(id)
        }
    }

    /// The notes on a slice, with their names.
    func notes(on slice: TraceSlices.Slice) -> [(String, String)] {
        guard case .post(_, let site, let weight) = slice.kind else { return [] }
        var notes = sites[site].map { [("posted at", $0)] } ?? []
        if weight > 1 { notes.append(("stands for", "\(weight) posts")) }
        if let way = slice.received {
            notes.append(("came from", way.process == 0 ? "another process" : "PID \(way.process)"))
        }
        if !slice.sent.isEmpty {
            let known = slice.sent.map(\.process).filter { $0 != 0 }
            let text = known.map { "PID \($0)" }.joined(separator: ", ")
            notes.append(("sent to", text.isEmpty ? "other processes" : text))
        }
        return notes
    }

    /// The name that a file shows for a moment.
    func name(of moment: TraceSlices.Moment) -> String {
        if moment.kind == .coalesced {
            let place = sites[moment.site].map { ", posted at \($0)" } ?? ""
            return "coalesced in a queue: \(recording.topics[moment.subject] ?? "?")\(place)"
        }
        let what =
            switch moment.kind {
            case .putOff: "put off"
            case .dropped: "dropped"
            case .refused: "refused"
            case .replaced: "replaced"
            case .undeliverable: "undeliverable"
            case .expired: "observer died"
            case .cancelled: "cancelled"
            case .filtered: "turned away"
            case .consumed: "consumed"
            case .unheard: "nobody heard it"
            default: "\(moment.kind)"
            }
        return moment.kind == .unheard ? what : "\(what): \(observer(moment.subject))"
    }
}

extension InspectedCenters {
    /// The names of each registration, by its id.
    package var observers: [UInt64: RecordedProcess.Observer] {
        centers.flatMap(\.registrations).reduce(into: [:]) { names, registration in
            names[registration.id] = RecordedProcess.Observer(
                origin: registration.origin, context: registration.context)
        }
    }
}

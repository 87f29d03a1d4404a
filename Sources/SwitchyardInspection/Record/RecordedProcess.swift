// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardCore

/// The recording of one process, with the names for it.
package struct RecordedProcess {
    let recording: TraceRecording
    /// The system's number of the process.
    let number: Int32
    let name: String
    let observers: ObserverNames
    /// The lines of call sites, by their numbers.
    let sites: [UInt32: String]
    /// The times from which events were overwritten, in nanoseconds since the system's start.
    private let losses: [Range<UInt64>]

    package init(
        _ recording: TraceRecording, number: Int32, name: String, observers: ObserverNames,
        sites: [UInt32: String]
    ) {
        self.recording = recording
        self.number = number
        self.name = name
        self.observers = observers
        self.sites = sites
        let clock = recording.clock
        losses = recording.losses.spans.map {
            let first = clock.time($0.lowerBound)
            return first..<max(first, clock.time($0.upperBound))
        }
    }

    /// The names of the observation that had an id at a time, in ticks.
    private func observer(_ id: UInt64, at ticks: UInt64) -> ObserverNames.Observer? {
        observers.observer(
            id, at: recording.clock.time(ticks), recording.registrations.holder(of: id, at: ticks)
        ) { first, last in losses.contains { $0.lowerBound < last && $0.upperBound > first } }
    }

    /// The name that a file shows for the observation that had an id at a time, in ticks.
    private func name(of id: UInt64, at ticks: UInt64) -> String {
        observer(id, at: ticks)?.origin ?? "an ended observation"
    }

    /// The numbers of deliveries that waited for each context.
    var waitingCounts: WaitingCounts {
        WaitingCounts(recording) { id, ticks in observer(id, at: ticks)?.context }
    }

    /// The name that a file shows for a slice.
    func name(of slice: TraceSlices.Slice) -> String {
        switch slice.kind {
        case .post(let topic, _, _): "post \(recording.topics[topic] ?? "?")"
        case .handler(let id): name(of: id, at: slice.end)
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
        return moment.kind == .unheard
            ? what : "\(what): \(name(of: moment.subject, at: moment.time))"
    }
}

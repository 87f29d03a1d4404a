// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardCore

/// Writes a recording in Perfetto's trace format (perfetto.dev, "Trace packet format" and "Synthetic
/// track event"), which ui.perfetto.dev opens: a track for each thread, slices for posts and
/// handlers, and arrows from a post to the handlers that it called elsewhere.
package struct PerfettoTrace {
    private let recording: TraceRecording
    private let process: Int32
    private let processName: String
    /// The names of observations, by their ids.
    private let observers: [UInt64: String]
    /// The lines of call sites, by their numbers.
    private let sites: [UInt32: String]
    private var writer = ProtobufWriter()

    /// - Parameters:
    ///   - observers: the names of observations, by their ids.
    ///   - sites: the lines of call sites, by their numbers.
    package init(
        _ recording: TraceRecording, process: Int32, processName: String,
        observers: [UInt64: String], sites: [UInt32: String]
    ) {
        self.recording = recording
        self.process = process
        self.processName = processName
        self.observers = observers
        self.sites = sites
    }

    /// The file's bytes.
    package func bytes() -> [UInt8] {
        var trace = self
        trace.write()
        return trace.writer.bytes
    }

    private mutating func write() {
        let threads = recording.threads.map { (thread: $0, slices: TraceSlices($0.events)) }
        let arrows = TraceArrows(threads.flatMap(\.slices.slices))
        writeProcess()
        for (index, (thread, slices)) in threads.enumerated() {
            let track = UInt64(index) + 2
            writeThread(thread, track)
            for mark in TraceMark.inOrder(slices) { write(mark, track, arrows) }
        }
    }
}

// MARK: - Tracks

extension PerfettoTrace {
    private static let processTrack: UInt64 = 1
    /// All packets are of one sequence, and refer to nothing before them.
    private static let sequence: UInt64 = 1

    private mutating func packet(_ body: (inout ProtobufWriter) -> Void) {
        writer.message(1) { packet in
            packet.varint(10, Self.sequence)
            body(&packet)
        }
    }

    private mutating func writeProcess() {
        let (process, name) = (process, processName)
        packet { packet in
            // SEQ_INCREMENTAL_STATE_CLEARED
            packet.varint(13, 1)
            packet.message(60) { track in
                track.varint(1, Self.processTrack)
                track.message(3) {
                    $0.varint(1, UInt64(max(process, 0)))
                    $0.string(6, name)
                }
            }
        }
    }

    private mutating func writeThread(_ thread: TraceRecording.Thread, _ track: UInt64) {
        let process = process
        // The system's name of the main thread is that of the program.
        let name = thread.number == process ? "main" : thread.name
        packet { packet in
            packet.message(60) {
                $0.varint(1, track)
                $0.varint(5, Self.processTrack)
                $0.message(4) {
                    $0.varint(1, UInt64(max(process, 0)))
                    $0.varint(2, UInt64(max(thread.number, 0)))
                    if !name.isEmpty { $0.string(5, name) }
                }
            }
        }
    }
}

// MARK: - Events

extension PerfettoTrace {
    private enum EventType {
        static let begin: UInt64 = 1
        static let end: UInt64 = 2
        static let instant: UInt64 = 3
    }

    private mutating func write(_ mark: TraceMark, _ track: UInt64, _ arrows: TraceArrows) {
        let time = recording.clock.time(mark.time)
        switch mark.kind {
        case .begin(let slice):
            let name = name(of: slice)
            let notes = notes(on: slice)
            event(EventType.begin, time, track) { event in
                event.string(22, "notifications")
                event.string(23, name)
                for (name, text) in notes {
                    event.message(4) {
                        $0.string(10, name)
                        $0.string(6, text)
                    }
                }
                for arrow in arrows.beginning(in: slice) { event.fixed64(47, arrow) }
                if let arrow = arrows.ending(in: slice) { event.fixed64(48, arrow) }
            }
        case .end:
            event(EventType.end, time, track) { _ in }
        case .moment(let moment):
            let name = name(of: moment)
            event(EventType.instant, time, track) { event in
                event.string(22, "notifications")
                event.string(23, name)
            }
        }
    }

    private mutating func event(
        _ type: UInt64, _ time: UInt64, _ track: UInt64, _ body: (inout ProtobufWriter) -> Void
    ) {
        packet { packet in
            packet.varint(8, time)
            packet.message(11) { event in
                event.varint(9, type)
                event.varint(11, track)
                body(&event)
            }
        }
    }

    private func name(of slice: TraceSlices.Slice) -> String {
        switch slice.kind {
        case .post(let topic, _, _): "post \(recording.topics[topic] ?? "?")"
        case .handler(let id): observer(id)
        }
    }

    private func observer(_ id: UInt64) -> String { observers[id] ?? "an ended observation" }

    private func notes(on slice: TraceSlices.Slice) -> [(String, String)] {
        guard case .post(_, let site, let weight) = slice.kind else { return [] }
        var notes = sites[site].map { [("posted at", $0)] } ?? []
        if weight > 1 { notes.append(("stands for", "\(weight) posts")) }
        return notes
    }

    private func name(of moment: TraceSlices.Moment) -> String {
        let what =
            switch moment.kind {
            case .putOff: "put off"
            case .dropped: "dropped"
            case .refused: "refused"
            case .replaced: "replaced"
            case .undeliverable: "undeliverable"
            case .expired: "observer died"
            case .cancelled: "cancelled"
            case .unheard: "nobody heard it"
            default: "\(moment.kind)"
            }
        return moment.kind == .unheard ? what : "\(what): \(observer(moment.subject))"
    }
}

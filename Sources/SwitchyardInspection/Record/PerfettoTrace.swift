// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardCore

/// Writes recordings in Perfetto's trace format (perfetto.dev, "Trace packet format" and "Synthetic
/// track event"), which ui.perfetto.dev opens: a track for each thread of each process, and for each
/// async handler, slices for posts and handlers, arrows from a post to the handlers that it called elsewhere, and to the same
/// post in other processes, and a counter of the deliveries that wait for each context.
package struct PerfettoTrace {
    private let processes: [RecordedProcess]
    private var writer = ProtobufWriter()
    /// The number of tracks so far, which is the last one's number.
    private var tracks: UInt64 = 0

    package init(_ processes: [RecordedProcess]) { self.processes = processes }

    /// The file's bytes.
    package func bytes() -> [UInt8] {
        var trace = self
        trace.write()
        return trace.writer.bytes
    }

    private mutating func write() {
        let slices = processes.map { $0.recording.threads.map { TraceSlices($0.events) } }
        let arrows = TraceArrows(
            zip(processes, slices).map { ($0.number, $1.flatMap { $0.slices + $0.asyncCalls }) })
        for (process, slices) in zip(processes, slices) { write(process, slices, arrows) }
    }

    private mutating func write(
        _ process: RecordedProcess, _ slices: [TraceSlices], _ arrows: TraceArrows
    ) {
        let processTrack = writeTrack(of: process)
        for (thread, slices) in zip(process.recording.threads, slices) {
            let track = writeTrack(of: thread, process, processTrack)
            for mark in TraceMark.inOrder(slices) { write(mark, process, track, arrows) }
        }
        writeAsyncCalls(slices.flatMap(\.asyncCalls), process, processTrack, arrows)
        for (context, changes) in process.waitingCounts.changes {
            write(changes, ofContext: context, process, processTrack)
        }
    }
}

// MARK: - Async handlers

extension PerfettoTrace {
    /// Writes the calls of async handlers: a track for each handler, or several if its calls
    /// overlap. Perfetto shows tracks with one name as one.
    private mutating func writeAsyncCalls(
        _ calls: [TraceSlices.Slice], _ process: RecordedProcess, _ processTrack: UInt64,
        _ arrows: TraceArrows
    ) {
        let handlers = Dictionary(grouping: calls, by: process.name(of:))
        for (name, calls) in handlers.sorted(by: { $0.key < $1.key }) {
            for lane in TraceSlices.lanes(calls) {
                tracks += 1
                let track = tracks
                packet { packet in
                    packet.message(60) {
                        $0.varint(1, track)
                        $0.string(2, "async \(name)")
                        $0.varint(5, processTrack)
                    }
                }
                for mark in TraceMark.inOrder(lane) { write(mark, process, track, arrows) }
            }
        }
    }
}

// MARK: - Tracks

extension PerfettoTrace {
    /// All packets are of one sequence, and refer to nothing before them.
    private static let sequence: UInt64 = 1

    private mutating func packet(_ body: (inout ProtobufWriter) -> Void) {
        writer.message(1) { packet in
            packet.varint(10, Self.sequence)
            body(&packet)
        }
    }

    /// - Returns: The number of the process's track.
    private mutating func writeTrack(of process: RecordedProcess) -> UInt64 {
        tracks += 1
        let (isFirst, own) = (tracks == 1, tracks)
        packet { packet in
            // SEQ_INCREMENTAL_STATE_CLEARED
            if isFirst { packet.varint(13, 1) }
            packet.message(60) { track in
                track.varint(1, own)
                track.message(3) {
                    $0.varint(1, UInt64(max(process.number, 0)))
                    $0.string(6, process.name)
                }
            }
        }
        return own
    }

    /// - Returns: The number of the thread's track.
    private mutating func writeTrack(
        of thread: TraceRecording.Thread, _ process: RecordedProcess, _ processTrack: UInt64
    ) -> UInt64 {
        tracks += 1
        let own = tracks
        // The system's name of the main thread is that of the program.
        let name = thread.number == process.number ? "main" : thread.name
        packet { packet in
            packet.message(60) {
                $0.varint(1, own)
                $0.varint(5, processTrack)
                $0.message(4) {
                    $0.varint(1, UInt64(max(process.number, 0)))
                    $0.varint(2, UInt64(max(thread.number, 0)))
                    if !name.isEmpty { $0.string(5, name) }
                }
            }
        }
        return own
    }
}

// MARK: - Counters

extension PerfettoTrace {
    private mutating func write(
        _ changes: [WaitingCounts.Change], ofContext context: String, _ process: RecordedProcess,
        _ processTrack: UInt64
    ) {
        tracks += 1
        let track = tracks
        packet { packet in
            packet.message(60) {
                $0.varint(1, track)
                $0.string(2, "waiting for \(context)")
                $0.varint(5, processTrack)
                // A counter; UNIT_COUNT.
                $0.message(8) { $0.varint(3, 2) }
            }
        }
        for change in changes {
            event(EventType.counter, process.recording.clock.time(change.time), track) {
                $0.varint(30, UInt64(change.count))
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
        static let counter: UInt64 = 4
    }

    private mutating func write(
        _ mark: TraceMark, _ process: RecordedProcess, _ track: UInt64, _ arrows: TraceArrows
    ) {
        let time = process.recording.clock.time(mark.time)
        switch mark.kind {
        case .begin(let slice):
            event(EventType.begin, time, track) { event in
                event.string(22, "notifications")
                event.string(23, process.name(of: slice))
                for (name, text) in process.notes(on: slice) {
                    event.message(4) {
                        $0.string(10, name)
                        $0.string(6, text)
                    }
                }
                for arrow in arrows.beginning(in: slice, of: process.number) {
                    event.fixed64(47, arrow)
                }
                if let arrow = arrows.ending(in: slice, of: process.number) {
                    event.fixed64(48, arrow)
                }
            }
        case .end:
            event(EventType.end, time, track) { _ in }
        case .moment(let moment):
            event(EventType.instant, time, track) { event in
                event.string(22, "notifications")
                event.string(23, process.name(of: moment))
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
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
internal import SwitchyardCore

/// Reads this process's trace events. Nothing grows while it reads: events that it is too slow for
/// are overwritten, and counted.
final class TraceReader {
    /// The positions up to which it has read, by the numbers of the rings.
    private var cursors: [UInt64: TraceRing.Cursor]
    private var knownTopics = 0
    private var knownSites: UInt32 = 0

    /// Whether a batch has the sites of its own events alone, because there is one batch.
    private let readsOnce: Bool

    init(since cursors: [UInt64: TraceRing.Cursor], once readsOnce: Bool = false) {
        self.cursors = cursors
        self.readsOnce = readsOnce
    }

    /// The events since the last batch.
    func next() -> TraceBatch {
        // Read before the topics and sites that they name.
        let threads = TraceRing.all.compactMap(read)
        return TraceBatch(
            clock: TraceClock.reading, interval: TraceSampling.interval, topics: newTopics(),
            sites: newSites(of: threads), threads: threads)
    }

    private func read(_ ring: TraceRing) -> TraceBatch.Thread? {
        var events: [TraceEvent] = []
        let overwritten = ring.read(from: &cursors[ring.number, default: 0]) { events.append($0) }
        if events.isEmpty, overwritten == 0 { return nil }
        return TraceBatch.Thread(
            ring: ring.number, number: ring.thread, name: ThreadNames.name(of: ring.thread),
            overwritten: overwritten, events: events)
    }

    private func newTopics() -> [TraceBatch.Topic] {
        let new = TraceTopics.after(knownTopics)
        knownTopics += new.count
        return new.map { TraceBatch.Topic(id: UInt64($0.id), text: $0.text) }
    }

    private func newSites(of threads: [TraceBatch.Thread]) -> [TraceBatch.Site] {
        let used = Set(threads.flatMap { $0.events.compactMap(\.site) })
        let new = CallSites.after(knownSites)
        knownSites = new.last?.number ?? knownSites
        return new.compactMap { number, frames in
            if readsOnce, !used.contains(number) { return nil }
            return TraceBatch.Site(number: number, frames: frames.map(TraceBatch.Frame.init))
        }
    }
}

extension TraceBatch.Frame {
    /// A return address of this process.
    init(address: UInt) {
        let place = switchyard_code_at(address)
        self.init(module: Self.path(of: place, at: address), offset: place.offset)
    }

    private static func path(of place: switchyard_code_place, at address: UInt) -> String {
        if place.is_program { return program }
        let path = place.path.map { String(cString: $0) } ?? ""
        if path.isEmpty || path.hasPrefix("/") { return path }
        // A library may have been loaded from where the program's folder was at that time.
        return MappedFiles.path(at: address, in: getpid()) ?? program
    }

    private static let program =
        MappedFiles.program(of: getpid()) ?? Bundle.main.executablePath ?? ""
}

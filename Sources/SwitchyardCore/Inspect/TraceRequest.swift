// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard

/// The wish of a recorder, a sampler or a tool that posts are traced, until it is released.
///
/// The process has one setting for all: one post in how many is traced, as the newest request says,
/// and whether posts note their lines, if any request asks for that. When a request ends or rests,
/// the others count again.
package final class TraceRequest: Sendable {
    /// The parts of a request that decide for the process.
    package struct Settings: Sendable {
        /// One post in this many is traced, on each thread.
        package var interval: UInt32
        /// One post in this many is traced, on each thread, of those that other processes ask to
        /// have traced.
        package var askedInterval: UInt32 = 1
        /// Whether posts note their call sites.
        package let notesSites: Bool
        /// Whether nobody takes the events at the moment: other requests decide.
        package var isResting = false

        package init(interval: UInt32, notesSites: Bool) {
            self.interval = interval
            self.notesSites = notesSites
        }
    }

    private struct Entry: Sendable {
        let request: ObjectIdentifier
        let process: UInt64
        var settings: Settings
    }

    /// The requests that have not ended, the newest last.
    private static let entries = {
        let entries = Guarded<[Entry]>([])
        entries.holdAcrossForks()
        return entries
    }()

    /// The process that traces: a forked child has no part in its parent's requests.
    private let process = switchyard_fork_generation()

    /// Begins to trace, with these settings.
    package init(_ settings: Settings) {
        Self.update {
            $0.append(Entry(request: ObjectIdentifier(self), process: process, settings: settings))
        }
        CenterDirectory.beginTracing()
    }

    deinit {
        CenterDirectory.endTracing(process)
        Self.update { entries in entries.removeAll { $0.request == ObjectIdentifier(self) } }
    }

    /// Changes the sampling.
    package func change(_ change: (inout Settings) -> Void) {
        Self.update { entries in
            guard let index = entries.firstIndex(where: { $0.request == ObjectIdentifier(self) })
            else { return }
            change(&entries[index].settings)
        }
    }

    private static func update(_ change: (inout [Entry]) -> Void) {
        let present = switchyard_fork_generation()
        entries.withLock { entries in
            entries.removeAll { $0.process != present }
            change(&entries)
            let newest = entries.last { !$0.settings.isResting }?.settings
            let ofAllResting = entries.isEmpty ? 1 : TraceSampling.longest
            TraceSampling.interval = newest?.interval ?? ofAllResting
            TraceSampling.askedInterval = newest?.askedInterval ?? ofAllResting
            TraceSampling.notesSites =
                entries.isEmpty || entries.contains { $0.settings.notesSites }
        }
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
internal import SwitchyardCore

/// Keeps the newest posts and deliveries of this process, to be written to a file when something
/// was late or went wrong: a flight recorder.
///
/// ```swift
/// let recorder = FlowRecorder()
/// let writer = DeliveryThread(name: "recorder")
/// center.onLate(after: .milliseconds(100), on: .main) { _ in
///     writer.perform {
///         try? recorder.write(to: URL(fileURLWithPath: "/tmp/late.pftrace"), last: .seconds(2))
///     }
/// }
/// ```
/// The hook runs on the late thread itself, which writing would hold up for some hundred
/// milliseconds.
///
/// Each thread keeps its newest 4,096 events, in 128 KiB: about a thousand posts to three handlers.
/// Beside that there is a table of the call sites of posts, of a few megabytes at most. No thread
/// waits. A post takes some tens of nanoseconds longer while a recorder exists.
///
/// If the machine was suspended since the recorder was created, the file's times are too long: by as
/// much as the time with the suspension is longer than the time without. `switchyard trace` notices
/// suspensions, because it reads the clocks again and again.
///
/// The file says which thread posted what, from which line, which handlers ran, and how long each
/// delivery waited; never the contents of a notification. ui.perfetto.dev shows it. From outside of
/// the process, `switchyard trace` writes the same.
public final class FlowRecorder: @unchecked Sendable {
    // Sendable: constant.
    private let began: TraceClock.Reading
    /// The rings' ends at the beginning, by the rings' numbers.
    private let beginnings: [UInt64: TraceRing.Cursor]
    /// The recording goes on until the recorder is released; its events are given up with the last
    /// recorder.
    private let request: TraceRequest

    /// Begins to record.
    ///
    /// The parameters count for the whole process. The newest of all recorders and tools decides
    /// how many posts are recorded. Lines are noted if any of them asks for that.
    ///
    /// - Parameters:
    ///   - interval: records one post in this many, on each thread, with all that its handlers
    ///     post; from 1, which records every post, to 32,768.
    ///   - notesCallSites: whether the file says from which line a post was made. A third of what
    ///     recording adds to a post's instructions is for that.
    public init(oneIn interval: Int = 1, notesCallSites: Bool = true) {
        Misuse.unless(
            (1...Int(TraceSampling.longest)).contains(interval),
            "one post in \(interval) can't be recorded: give a number from 1 to "
                + "\(TraceSampling.longest)")
        began = TraceClock.reading
        request = TraceRequest(
            TraceRequest.Settings(interval: UInt32(interval), notesSites: notesCallSites))
        beginnings = Dictionary(uniqueKeysWithValues: TraceRing.all.map { ($0.number, $0.end) })
    }

    /// Writes the kept events to a file, in Perfetto's format.
    ///
    /// Recording goes on meanwhile and afterwards. May be called from any thread. It takes some
    /// milliseconds, and some hundred where `llvm-symbolizer` is installed, which finds the lines
    /// of posts in a process of its own.
    ///
    /// - Parameters:
    ///   - file: the file, which is replaced if there is one. A device, a pipe or a link's target
    ///     is written to instead.
    ///   - span: leaves out events older than this; nil: none.
    /// - Throws: Foundation's error if the file can't be written.
    public func write(to file: URL, last span: Duration? = nil) throws {
        var recording = TraceRecording()
        let reader = TraceReader(since: beginnings, once: true)
        recording.begin(at: began)
        recording.add(reader.next())
        if let span { recording.keepLast(UInt64(min(max(span / .nanoseconds(1), 0), 9e18))) }
        let sites = recording.usedSites
        let names = CallSiteNames(sites, of: getpid())
        let process = RecordedProcess(
            recording, number: getpid(), name: ProcessInfo.processInfo.processName,
            observers: ObserverNames(.now),
            sites: sites.compactMapValues { names.line(of: $0) })
        let trace = PerfettoTrace([process])
        // A file is replaced in one step; a device or a pipe stays what it is.
        let kind = try? FileManager.default.attributesOfItem(atPath: file.path)[.type]
        let isFile = kind.map { $0 as? FileAttributeType == .typeRegular } ?? true
        try Data(trace.bytes()).write(to: file, options: isFile ? .atomic : [])
    }
}

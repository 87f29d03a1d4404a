// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import ArgumentParser
internal import Foundation
internal import SwitchyardConsole
internal import SwitchyardCore
internal import SwitchyardInspection
internal import SwitchyardWire
internal import Synchronization

/// The command `switchyard trace`: records the posts of a process and writes them for Perfetto.
struct TraceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trace",
        abstract: "Records the posts and the handlers' calls in running processes.",
        discussion: """
            Writes a file for ui.perfetto.dev: a track for each thread, with its posts, the lines they \
            were made from, and the handlers; and an arrow from a post to each handler that it called \
            on another thread, with the time in between. Then a line that says how much was recorded: on \
            standard error if the file is the standard output.

            Several processes come into one file. What one of them traces and sends, the others trace too, \
            with as many events again at most. An arrow leads from a post in one of them to the same \
            post in another that has received it.

            A busy program makes more events than anybody wants. --events says how many a second to \
            aim at in each; beyond it, one post in so many is recorded, and says how many it stands for. The \
            program never waits: events that are overwritten before they are read are counted.

            Ctrl-C ends the recording early. With --last, it can run for long, and keeps the end alone.

            EXAMPLES
              switchyard trace folio -o folio.pftrace
              switchyard trace 4711 -o late.pftrace --for 10m --last 2s
              switchyard trace folio converter -o both.pftrace

            EXIT STATUS
              0  The file was written.
              1  The process can't be inspected, or the file can't be written.
              64 The arguments are wrong.
            """)

    @Argument(help: "Processes, by number or name; needed if several can be inspected.")
    var processes: [String] = []

    @Option(name: .shortAndLong, help: ArgumentHelp("The file to write.", valueName: "file"))
    var output: String

    @Option(
        name: .customLong("for"), help: ArgumentHelp("How long to record.", valueName: "time"))
    var span = TimeLimit(seconds: 10)

    @Option(help: ArgumentHelp("Keep only this much of the end.", valueName: "time"))
    var last: TimeLimit?

    @Option(help: ArgumentHelp("The events a second to aim at.", valueName: "count"))
    var events: UInt32 = 20_000

    @Flag(help: "Print the summary as JSON.")
    var json = false

    func validate() throws {
        if events == 0 { throw ValidationError("--events is a number from 1") }
        if output.isEmpty { throw ValidationError("--output is the name of a file") }
    }

    /// The rest of the command's output.
    private struct Summary: Encodable {
        var file: String
        var posts: Int
        var threads: Int
        var overwritten: UInt64
        /// One post in this many was recorded, at the busiest time.
        var interval: UInt32
    }

    func run() throws {
        let processes = try namedProcesses()
        // Before the recording, not after it: a file that can't be written would be a pity then.
        // And before the signals are held: a pipe that nobody reads opens only when somebody does,
        // and Ctrl-C ends that wait.
        let (file, isNew) = try open()
        let isOver = EndMark()
        let recorders: [ProcessRecorder]
        do {
            EndSignals.hold()
            EndSignals.whenTheyCome { _ in isOver.set() }
            recorders = try processes.map { process in
                try InspectedProcesses.asking(process, .trace) {
                    try ProcessRecorder(
                        process, eventsPerSecond: events, keepsLast: last?.seconds)
                }
            }
        } catch {
            if isNew { unlink(output) }
            throw error
        }
        record(recorders) { isOver.isSet }
        try write(recorders, to: file)
    }

    private func namedProcesses() throws -> [InspectableProcess] {
        if processes.isEmpty { return [try InspectedProcesses.one(nil, .trace)] }
        var found: [InspectableProcess] = []
        for name in processes {
            let process = try InspectedProcesses.one(name, .trace)
            if !found.contains(where: { $0.number == process.number }) { found.append(process) }
        }
        return found
    }

    /// Between two questions: a thread that makes 4,096 events in that time loses the oldest.
    private static let pause: UInt32 = 50_000

    /// Records until the time is over, `isOver` says so, or all processes have ended.
    private func record(_ recorders: [ProcessRecorder], until isOver: () -> Bool) {
        let end = ContinuousClock.now + .seconds(span.seconds)
        var living = recorders
        var rounds = 0
        while ContinuousClock.now < end, !isOver(), !living.isEmpty {
            usleep(Self.pause)
            Self.ask(&living)
            rounds += 1
            if rounds % 20 == 0 {
                for recorder in living { recorder.catchUp() }
                // For the names, at once: events are not left for longer than usual.
                Self.ask(&living)
            }
        }
        for recorder in recorders { recorder.finish() }
    }

    /// Asks all processes before the first is waited for: one that is stopped holds up none of the
    /// others.
    private static func ask(_ living: inout [ProcessRecorder]) {
        living.removeAll { !$0.ask(.trace) }
        living.removeAll { !$0.takeAnswer(.trace) }
    }

    /// - Returns: The file, and whether there was none.
    private func open() throws -> (FileHandle, isNew: Bool) {
        let mode = O_WRONLY | O_CREAT | O_CLOEXEC
        var descriptor = Foundation.open(output, mode | O_EXCL, 0o666)
        let isNew = descriptor >= 0
        if !isNew { descriptor = Foundation.open(output, mode, 0o666) }
        if descriptor < 0 {
            StandardErrorLog.trace.say("can't write \(output.shown): \(SystemError.last)")
            throw ExitCode.failure
        }
        return (FileHandle(fileDescriptor: descriptor, closeOnDealloc: true), isNew)
    }

    private func write(_ recorders: [ProcessRecorder], to file: FileHandle) throws {
        let trace = PerfettoTrace(recorders.map { $0.recorded() }).bytes()
        let isStandardOutput = Self.isStandardOutput(file)
        let isWritten: Bool
        if isStandardOutput {
            // The trace comes behind what others have written there.
            isWritten = Self.write(trace, to: STDOUT_FILENO)
        } else {
            // An earlier recording stays in the file until there is a new one. Devices have no
            // length.
            _ = ftruncate(file.fileDescriptor, 0)
            isWritten = Self.write(trace, to: file.fileDescriptor)
        }
        if !isWritten {
            StandardErrorLog.trace.say("can't write \(output.shown): \(SystemError.last)")
            throw ExitCode.failure
        }
        let recordings = recorders.map(\.recording)
        let summary = Summary(
            file: output, posts: recordings.reduce(0) { $0 + $1.posts },
            threads: recordings.reduce(0) { $0 + $1.threads.count },
            overwritten: recordings.reduce(0) { $0 &+ $1.overwritten },
            interval: recordings.map(\.longestInterval).max() ?? 1)
        let line = json ? try JSONLine.text(of: summary) : text(summary)
        if isStandardOutput { return StandardErrorLog.print(line) }
        let lines = OutputBuffer()
        lines.append(Array("\(line)\n".utf8))
        lines.flush()
        try lines.check(.trace)
    }

    /// - Returns: False if it could not be written; `errno` says why.
    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno != EINTR { return false }
            rest = rest.dropFirst(max(0, count))
        }
        return true
    }

    /// Whether a file is the standard output, under whatever name: it has the trace alone then.
    private static func isStandardOutput(_ file: FileHandle) -> Bool {
        var (own, standard) = (stat(), stat())
        return fstat(file.fileDescriptor, &own) == 0 && fstat(STDOUT_FILENO, &standard) == 0
            && own.st_dev == standard.st_dev && own.st_ino == standard.st_ino
    }

    private func text(_ summary: Summary) -> String {
        let (posts, threads) = (summary.posts, summary.threads)
        var text = "\(posts) \(posts == 1 ? "post" : "posts")"
        text += " on \(threads) \(threads == 1 ? "thread" : "threads")"
        if summary.interval > 1 { text += ", at times one of \(summary.interval)" }
        if summary.overwritten > 0 { text += ", \(summary.overwritten) events overwritten" }
        return "\(text): \(summary.file.shown), for ui.perfetto.dev"
    }
}

/// Set once, seen by every thread.
private final class EndMark: Sendable {
    private let value = Atomic<Bool>(false)
    var isSet: Bool { value.load(ordering: .relaxed) }
    func set() { value.store(true, ordering: .relaxed) }
}

extension StandardErrorLog {
    static let trace = StandardErrorLog("switchyard trace")
}

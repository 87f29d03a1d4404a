// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import Switchyard
internal import SwitchyardConsole
internal import ThreadNames

/// One run of `tail`: a reader for each file, each on its own thread, and one observer on the main
/// thread.
@MainActor
final class TailSession {
    /// The number of lines that all readers together may be ahead of the observer.
    private static let linesAhead = 80_000
    /// The number of bytes that all readers together may be ahead of the observer.
    private static let bytesAhead = 64 * 1024 * 1024

    private let files: [FollowedFile]
    private let printer: LinePrinter
    private let limit: Int
    private let center = NotificationCenter()
    private let output = OutputBuffer()
    private let stop: StopSignal
    private var publisher: LinePublisher?
    private var printed = 0
    private var reading = 0

    /// - Parameters:
    ///   - limit: the number of lines after which to end.
    ///   - publisher: posts the lines to other processes.
    init(
        files names: [String], printer: LinePrinter, limit: Int?,
        _ publisher: consuming LinePublisher?
    ) throws {
        files = names.map { name in
            FollowedFile(
                name: name,
                credit: Credit(
                    lines: max(1, min(10_000, Self.linesAhead / names.count)),
                    bytes: min(LineSplitter.longestLine, Self.bytesAhead / names.count)))
        }
        self.printer = printer
        self.limit = limit ?? .max
        stop = try StopSignal()
        self.publisher = publisher
    }

    /// Follows the files until a signal, the line limit or the time limit ends the session.
    func run(from start: StartPosition, limit: TimeLimit?) -> TailSummary {
        let lines = center.observe(LinePosted.self, on: .main) { [unowned self] in received($0) }
        let ends = center.observe(FollowingEnded.self, on: .main) { [unowned self] _ in
            reading -= 1
        }
        EndSignals.whenTheyCome { [stop] _ in stop.raise() }
        output.whenReaderGoes { [stop] in stop.raise() }
        limit?.whenOver { [stop] in stop.raise() }
        for file in files { startReading(file, from: start) }
        // A reader posts its end last, and the mailbox keeps the order. So all lines of a reader
        // were received before its end.
        while reading > 0 {
            _ = RunLoop.main.run(mode: .default, before: .distantFuture)
            // If deliveries are waiting, their lines are written together with these.
            if SharedMailbox.main.depth == 0 { output.flush() }
            if output.failure != nil { stop.raise() }
        }
        output.flush()
        output.checkReader()
        lines.cancel()
        ends.cancel()
        // Never below zero: a file's name may contain newlines, which `linesNotWritten` counts as
        // lines.
        return TailSummary(
            files, printed: max(0, printed - output.linesNotWritten), failure: output.failure)
    }

    /// Waits until the lines have left this process. Returns whether they have.
    func finishPublishing() -> Bool { publisher?.finish() ?? true }

    private func startReading(_ file: FollowedFile, from start: StartPosition) {
        reading += 1
        let thread = Thread { [center, stop] in
            ThreadName.set("reader of \(PathParts(file.name).name)")
            Follower(file, center, stop).run(from: start)
        }
        thread.start()
    }

    /// Prints and publishes a line. Every line of every file comes here, in the order of posting.
    private func received(_ message: LinePosted) {
        if printed < limit, output.failure == nil {
            printer.print(message, to: output)
            publisher?.publish(message)
            printed += 1
            if printed == limit { stop.raise() }
        }
        message.file.credit.give(bytes: message.line.count)
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardDistributed
internal import Synchronization

/// Prints notifications: formatted by the thread that receives, written by the main thread.
final class PrintOutlet: NotificationOutlet, @unchecked Sendable {
    // Sendable: `output` belongs to the main thread.

    /// How much may wait to be written.
    private static let mostWaiting = 16 * 1024 * 1024

    private static let microsecondsBetweenWrites: UInt32 = 1000

    /// More memory than this is given back after a flood.
    private static let keptCapacity = 1024 * 1024

    private let printer: NotificationPrinter
    private let lines = Handover(ByteWriter(), limit: mostWaiting)
    private let output = OutputBuffer()
    private let formatted = Atomic<Int>(0)

    init(_ printer: NotificationPrinter) { self.printer = printer }

    func take(_ notification: ReceivedNotification) -> Bool {
        lines.give { text in
            let before = text.count
            printer.print(notification, to: &text)
            formatted.wrappingAdd(1, ordering: .relaxed)
            return text.count - before
        }
    }

    func run(orEnd end: @escaping @Sendable (ObserveSession.End) -> Void) {
        output.whenReaderGoes { end(.outputClosed) }
        var text = ByteWriter()
        // To the end also when nothing can be written any more: what is there then is not printed.
        while lines.take(&text) {
            text.withBytes { output.append($0) }
            output.flush()
            text.removeAll(keepingCapacity: text.capacity <= Self.keptCapacity)
            if let failure = output.failure {
                end(failure.code == EPIPE ? .outputClosed : .failure)
                continue
            }
            // The first line has left at once; those that come right behind it leave together. Woken
            // up for each, this thread would take more time than all else.
            usleep(Self.microsecondsBetweenWrites)
        }
        output.checkReader()
        if output.failure?.code == EPIPE { end(.outputClosed) }
    }

    func end(_ reason: ObserveSession.End, _ signal: Int32) { lines.end() }

    /// It hangs in a write that nobody reads.
    func giveUp(_ signal: Int32) { EndSignals.end(by: signal) }

    var summary: String {
        "printed: \(formatted.load(ordering: .relaxed) - output.linesNotWritten)"
    }

    var failure: String? { output.failure.map(OutputBuffer.words(for:)) }
}

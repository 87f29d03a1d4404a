// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardConsole
internal import SwitchyardDistributed
internal import SwitchyardWire
internal import Synchronization

/// Prints notifications. The receiving thread formats them, and the main thread writes them.
final class PrintOutlet: NotificationOutlet, @unchecked Sendable {
    // Sendable: only the main thread uses `output`.

    /// The number of bytes that may wait to be written.
    private static let mostWaiting = 16 * 1024 * 1024

    private static let microsecondsBetweenWrites: UInt32 = 1000

    /// The largest capacity of the text that is kept after a flood; a larger one is freed.
    private static let keptCapacity = 1024 * 1024

    private let printer: NotificationPrinter
    private let lines = BatchChannel(ByteWriter(), limit: mostWaiting)
    private let output = OutputBuffer()
    private let patience: WritePatience
    private let formatted = Atomic<Int>(0)

    init(_ printer: NotificationPrinter) {
        self.printer = printer
        patience = output.patience
    }

    func take(_ notification: ReceivedNotification) -> Bool {
        lines.give { text in
            let before = text.count
            printer.print(notification, to: &text)
            formatted.wrappingAdd(1, ordering: .relaxed)
            return text.count - before
        }
    }

    func run(orEnd end: @escaping @Sendable (ObserveSession.End) -> Void) {
        patience.beginWriting()
        defer { patience.endWriting() }
        output.whenReaderGoes { end(.outputClosed) }
        var text = ByteWriter()
        // Goes on to the end even if nothing can be written any more; the remaining lines are not
        // printed.
        while lines.take(&text) {
            text.withBytes { output.append($0) }
            output.flush()
            text.removeAll(keepingCapacity: text.capacity <= Self.keptCapacity)
            if let failure = output.failure {
                end(failure.code == EPIPE ? .outputClosed : .failure)
                continue
            }
            // The first line of a burst is written at once, and those that follow closely are
            // written together. Waking up for each line would take more time than everything else.
            usleep(Self.microsecondsBetweenWrites)
        }
        output.checkReader()
        if output.failure?.code == EPIPE { end(.outputClosed) }
    }

    /// Ends after the lines that wait; or, if nobody reads them, after a moment. When the count is
    /// reached, they are waited for until something else ends the command: they are what was asked
    /// for.
    func end(_ reason: ObserveSession.End, _ signal: Int32) {
        lines.end()
        if reason != .counted { patience.begin() }
    }

    func hurry(_ reason: ObserveSession.End, _ signal: Int32) { patience.begin() }

    /// Ends the process: the main thread may hang in a write that nobody reads.
    func giveUp(_ signal: Int32) { EndSignals.end(by: signal) }

    var summary: String {
        "printed: \(formatted.load(ordering: .relaxed) - output.linesNotWritten)"
    }

    /// The words for a failed write; nil if the output's reader has gone, which ends the command in
    /// order.
    var failure: String? {
        output.failure.flatMap { $0.code == EPIPE ? nil : OutputBuffer.words(for: $0) }
    }
}

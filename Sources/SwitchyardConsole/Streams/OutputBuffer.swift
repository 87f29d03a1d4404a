// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import ArgumentParser
internal import Foundation
internal import SwitchyardDistributed
package import SwitchyardWire

/// A buffer for standard output, which reduces the number of writes.
public final class OutputBuffer {
    /// The error of a failed write, after which nothing is written any more; nil while all is well.
    /// EPIPE if the output's reader has gone: of a terminal, if it was hung up.
    public private(set) var failure: SystemError?
    /// The number of appended lines that were not written completely.
    public private(set) var linesNotWritten = 0
    /// The patience with an output that nobody reads, once it has begun.
    public let patience = WritePatience()
    private let descriptor: Int32
    /// Whether the output was a terminal at first. One that was hung up no longer says so.
    private let isTerminal: Bool
    private let bytes = UnsafeMutableRawBufferPointer.allocate(
        byteCount: 64 * 1024, alignment: 16)
    private var filled = 0
    private var text = ByteWriter()

    /// Creates an empty buffer.
    public init() {
        descriptor = STDOUT_FILENO
        isTerminal = isatty(descriptor) == 1
    }

    deinit { bytes.deallocate() }

    /// Appends bytes.
    public func append(_ part: UnsafeRawBufferPointer) {
        if part.count > bytes.count - filled { flush() }
        if part.count > bytes.count { return write(part) }
        UnsafeMutableRawBufferPointer(rebasing: bytes[filled...]).copyMemory(from: part)
        filled += part.count
    }

    /// Appends a byte.
    public func append(_ byte: UInt8) {
        if filled == bytes.count { flush() }
        bytes[filled] = byte
        filled += 1
    }

    /// Appends bytes.
    public func append(_ part: [UInt8]) { part.withUnsafeBytes { append($0) } }

    /// Appends the text that `body` writes.
    package func append(_ body: (inout ByteWriter) -> Void) {
        text.removeAll(keepingCapacity: true)
        body(&text)
        text.withBytes { append($0) }
    }

    /// Appends UTF-8 as a JSON string.
    public func append(quoted text: UnsafeRawBufferPointer) { append { $0.append(quoted: text) } }

    /// Appends a text as a JSON string.
    public func append(quoted text: String) { append { $0.append(quoted: text) } }

    /// Writes the buffered bytes.
    public func flush() {
        guard filled > 0 else { return }
        write(UnsafeRawBufferPointer(rebasing: bytes[..<filled]))
        filled = 0
    }

    /// Reports a failed write and throws an exit code. A reader that has gone does not count as a
    /// failure.
    package func check(_ log: StandardErrorLog) throws {
        guard let failure, failure.code != EPIPE else { return }
        log.say(Self.words(for: failure))
        throw ExitCode.failure
    }

    /// Returns the message for a failed write.
    public static func words(for failure: SystemError) -> String {
        "cannot write to standard output: \(failure)"
    }

    /// Records a failure if the output's reader has gone, without writing anything.
    public func checkReader() {
        if failure == nil, Self.readerIsGone(descriptor, isTerminal, milliseconds: 0) {
            failure = SystemError(code: EPIPE)
        }
    }

    /// Calls `body` when the output's reader goes, on a thread that waits for it.
    public func whenReaderGoes(_ body: @escaping @Sendable () -> Void) {
        let thread = Thread { [descriptor, isTerminal] in
            if Self.readerIsGone(descriptor, isTerminal, milliseconds: -1) { body() }
        }
        thread.name = "output"
        thread.start()
    }

    private static func readerIsGone(
        _ descriptor: Int32, _ isTerminal: Bool, milliseconds: Int32
    ) -> Bool {
        // No events are asked for: errors and hang-ups are always reported.
        var wait = pollfd(fd: descriptor, events: 0, revents: 0)
        let ends = Int16(isTerminal ? POLLERR | POLLHUP : POLLERR)
        return poll(&wait, 1, milliseconds) > 0 && wait.revents & ends != 0
    }

    private func write(_ part: UnsafeRawBufferPointer) {
        var rest = part[...]
        while failure == nil, !patience.isOver, !rest.isEmpty {
            let left = UnsafeRawBufferPointer(rebasing: rest)
            let count = Foundation.write(descriptor, left.baseAddress, left.count)
            if count >= 0 {
                rest = rest.dropFirst(count)
                patience.didWrite(count)
            } else if errno == EAGAIN {
                // Another process has set the shared terminal or pipe to non-blocking: wait until
                // it can be written to.
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&wait, 1, -1)
            } else if errno != EINTR {
                let error = SystemError.last
                // A program in the background may get EIO from a terminal that is there.
                let isHungUp =
                    isTerminal && error.code == EIO
                    && Self.readerIsGone(descriptor, isTerminal, milliseconds: 0)
                failure = isHungUp ? SystemError(code: EPIPE) : error
            }
        }
        // There is a rest only if the output can't be written, or nobody reads it.
        linesNotWritten += rest.count { $0 == UInt8(ascii: "\n") }
    }
}

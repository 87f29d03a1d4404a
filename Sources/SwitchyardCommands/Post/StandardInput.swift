// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardConsole

/// Standard input, which can be read until it ends or the stop signal is raised.
struct StandardInput {
    private let stop: StopSignal

    init(stop: StopSignal) { self.stop = stop }

    /// Whether reading was stopped by the signal.
    var isStopped: Bool { stop.isRaised }

    /// Waits for input, and reads it. Returns 0 at the end of input or when stopped.
    private func read(
        into buffer: UnsafeMutableRawBufferPointer
    ) throws(UnreadableInput) -> Int {
        while true {
            // Waits only in `poll`, so that the stop signal is noticed, whatever standard input is.
            var waits = [
                pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
                pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            if poll(&waits, 2, -1) < 0, errno != EINTR { throw UnreadableInput(.last) }
            if stop.isRaised { return 0 }
            let count = Foundation.read(STDIN_FILENO, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            if errno != EINTR, errno != EAGAIN { throw UnreadableInput(.last) }
        }
    }

    /// Calls `body` with each line. The last line needs no newline.
    ///
    /// - Returns: Whether the input came to its end. If not, reading was stopped by the signal.
    func forEachLine(_ body: (Line) throws -> Void) throws -> Bool {
        var splitter = LineSplitter()
        while true {
            let count = try read(into: splitter.room())
            if count == 0 { break }
            splitter.didRead(count)
            while let line = splitter.next() { try body(line) }
        }
        if stop.isRaised { return false }
        if let rest = splitter.takeRest() { try body(rest) }
        return true
    }

    /// Returns the whole input.
    ///
    /// - Throws: An error when the input has more than `limit` bytes, or can't be read.
    func readAll(limit: Int) throws(UnreadableInput) -> [UInt8] {
        var all: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = try read(into: buffer)
            if count == 0 { return all }
            all += buffer[..<count]
            if all.count > limit { throw UnreadableInput(SystemError(code: EFBIG)) }
        }
    }
}

/// An error: standard input can't be read.
struct UnreadableInput: Error, CustomStringConvertible {
    /// The system's error.
    let reason: SystemError

    init(_ reason: SystemError) { self.reason = reason }

    var description: String { "cannot read standard input: \(reason)" }
}

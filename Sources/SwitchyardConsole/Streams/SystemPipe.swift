// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation

/// A pipe whose ends are not inherited by the programs that this process starts.
public struct SystemPipe: Sendable {
    /// The descriptor to read from. Its user closes it.
    public let readEnd: Int32
    /// The descriptor to write to. Its user closes it.
    public let writeEnd: Int32

    /// Makes a pipe. Callable from any thread.
    ///
    /// Where the system can, the ends are closed on exec from the first moment: another thread may
    /// start a program at any time.
    public init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard switchyard_pipe_create(&ends) else { throw .last }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    /// Closes both ends.
    public func close() {
        for end in [readEnd, writeEnd] { _ = Foundation.close(end) }
    }
}

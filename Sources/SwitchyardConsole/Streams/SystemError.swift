// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// The error of a system call.
public struct SystemError: Error, CustomStringConvertible {
    /// The error's number, such as `EPIPE`.
    public let code: Int32

    /// Creates the error with a number.
    public init(code: Int32) { self.code = code }

    /// The error of the last system call on this thread.
    public static var last: SystemError { SystemError(code: errno) }

    /// The system's text for the error.
    public var description: String { String(cString: strerror(code)) }
}

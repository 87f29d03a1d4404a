// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// The error of a system call.
struct SystemError: Error, CustomStringConvertible {
    let code: Int32

    /// The error of the last system call on this thread.
    static var last: SystemError { SystemError(code: errno) }

    var description: String { String(cString: strerror(code)) }
}

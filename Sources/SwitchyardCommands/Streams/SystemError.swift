// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// What a system call answered.
struct SystemError: Error, CustomStringConvertible {
    let code: Int32

    /// That of the system call just made on this thread.
    static var last: SystemError { SystemError(code: errno) }

    var description: String { String(cString: strerror(code)) }
}

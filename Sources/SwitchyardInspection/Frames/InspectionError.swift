// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// The reason why a process can't be inspected, or can't be reached.
package struct InspectionError: Error, CustomStringConvertible {
    /// The problem, and what to do.
    package let description: String
    /// Whether the process has ended, or has closed the connection.
    package var hasGone = false
    /// Whether the other end has not answered in time.
    var isSilence = false

    init(_ description: String) { self.description = description }

    /// - Parameter error: the system's number for the problem.
    init(_ problem: String, _ error: Int32) {
        description = "\(problem): \(String(cString: strerror(error)))"
        hasGone = [ECONNRESET, EPIPE].contains(error)
    }

    /// The process does not answer in time.
    static var silent: Self {
        var error = InspectionError("the other end does not answer; it may be stopped")
        error.isSilence = true
        return error
    }

    /// The process has ended, or has closed the connection.
    static var gone: Self {
        var error = InspectionError("the other end has gone")
        error.hasGone = true
        return error
    }
}

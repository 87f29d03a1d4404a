// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// Errors of the programmer who uses Switchyard. They stop the program with a message that says
/// what was wrong and what to do, in release builds too, in which a failed `precondition` says
/// nothing.
@usableFromInline
package enum Misuse {
    /// Stops the program.
    @inline(never)
    package static func stop(
        _ message: String, file: StaticString = #fileID, line: UInt = #line
    ) -> Never {
        fatalError(message, file: file, line: line)
    }

    /// Stops the program unless `condition` holds.
    @inline(__always)
    package static func unless(
        _ condition: Bool, _ message: @autoclosure () -> String,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        if !condition { stop(message(), file: file, line: line) }
    }
}

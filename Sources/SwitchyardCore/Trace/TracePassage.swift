// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The way of one notification from one process to another. Both have the same ``connection`` and
/// ``sequence`` for it, so that what was traced on both sides can be joined.
package struct TracePassage: Hashable, Sendable {
    /// A number made of the identifiers of both ends; see ``connection(_:)``.
    package let connection: UInt32
    /// The system's number of the process at the other end; 0: not known.
    package let process: Int32
    /// The notification's number on the connection.
    package let sequence: UInt32

    package init(connection: UInt32, process: Int32, sequence: UInt64) {
        self.connection = connection
        self.process = process
        self.sequence = UInt32(truncatingIfNeeded: sequence)
    }

    /// The passage of a ``TraceEvent/Kind/sent`` or ``TraceEvent/Kind/received`` event.
    package init(_ event: TraceEvent) {
        connection = UInt32(event.subject >> 32)
        process = Int32(truncatingIfNeeded: event.subject)
        sequence = event.detail
    }

    var subject: UInt64 { UInt64(connection) << 32 | UInt64(UInt32(bitPattern: process)) }

    /// The number of a connection with these identifiers of its ends, the poster's first: FNV-1a of
    /// 32 bits of their bytes.
    package static func connection(_ identifiers: String...) -> UInt32 {
        identifiers.lazy.flatMap(\.utf8).reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 }
    }
}

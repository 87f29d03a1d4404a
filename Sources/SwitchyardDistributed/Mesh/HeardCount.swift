// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardWire

/// The number of notifications that came, or are known to be missing, on a connection.
struct HeardCount: Sendable {
    let count: UInt64
    /// The poster's number of the connection; nil if that is not known.
    let connection: UInt64?
    /// The number of these that are missing; nil if the peer does not say, or if the connection is
    /// not known.
    let missing: UInt64?

    func write(to frames: inout ByteWriter) {
        frames.frame(.heard) { body in
            body.append(count)
            guard let connection else { return }
            body.append(connection)
            if let missing { body.append(missing) }
        }
    }

    init(count: UInt64, connection: UInt64?, missing: UInt64? = nil) {
        self.count = count
        self.connection = connection
        self.missing = missing
    }

    /// Reads the body of HEARD; nil if there is no number.
    init?(_ reader: inout ByteReader) {
        guard let count = try? reader.readUInt64() else { return nil }
        self.count = count
        connection = try? reader.readUInt64()
        missing = try? reader.readUInt64()
    }
}

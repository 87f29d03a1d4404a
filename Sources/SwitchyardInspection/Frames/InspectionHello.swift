// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardWire

/// The first frame of both ends of a connection.
struct InspectionHello: Equatable {
    var lowestVersion = InspectionFormat.version
    var highestVersion = InspectionFormat.version
    var process: Int32
    var processName: String

    init(process: Int32, processName: String) {
        self.process = process
        self.processName = processName
    }

    func write(to writer: inout ByteWriter) {
        writer.inspectionFrame(.hello) { writer in
            InspectionFormat.magic.withUnsafeBytes { writer.append(bytes: $0) }
            writer.append(lowestVersion)
            writer.append(highestVersion)
            writer.append(UInt32(bitPattern: process))
            writer.append(short: processName)
        }
    }

    /// Reads a greeting.
    ///
    /// - Parameter frame: the frame without its type.
    init(_ frame: UnsafeRawBufferPointer) throws {
        var reader = ByteReader(frame)
        let magic = InspectionFormat.magic
        guard try reader.readBytes(count: magic.count).elementsEqual(magic) else {
            throw WireError("a greeting in another protocol")
        }
        lowestVersion = try reader.readUInt8()
        highestVersion = try reader.readUInt8()
        process = Int32(bitPattern: try reader.readUInt32())
        processName = try reader.shortString()
    }

    /// Throws unless both ends speak a common version.
    func checkVersion() throws {
        if lowestVersion > InspectionFormat.version || highestVersion < InspectionFormat.version {
            throw WireError(
                "the other end speaks versions \(lowestVersion) to \(highestVersion) of the protocol, "
                    + "and this one \(InspectionFormat.version)")
        }
    }
}

extension ByteWriter {
    /// Writes a frame: its length, its type, and the bytes that `body` writes.
    mutating func inspectionFrame(
        _ type: InspectionFrameType, _ body: (inout ByteWriter) -> Void
    ) {
        let start = count
        append(UInt32(0))
        append(type.rawValue)
        body(&self)
        patch(UInt32(truncatingIfNeeded: count - start - WireFormat.lengthBytes), at: start)
    }
}

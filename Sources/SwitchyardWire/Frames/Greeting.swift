// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The first frame of both ends of a connection: HELLO.
package struct Greeting: Equatable {
    package var lowestVersion = WireFormat.lowestVersion
    package var highestVersion = WireFormat.highestVersion
    /// Whether the process will never post, and so connects to nobody.
    package var postsNothing = false
    /// The id of the process that speaks.
    package var id: PeerID
    /// The process identifier, for people; the kernel's word is used where there is one.
    package var process: Int32
    package var processName: String
    /// The address at which the process can be connected to; empty if it can't.
    package var address: String
    package var domain: String

    private static let postsNothingFlag: UInt16 = 1

    package func write(to writer: inout ByteWriter) {
        writer.frame(.hello) { writer in
            WireFormat.magic.withUnsafeBytes { writer.append(bytes: $0) }
            writer.append(lowestVersion)
            writer.append(highestVersion)
            writer.append(postsNothing ? Self.postsNothingFlag : 0)
            id.withBytes { writer.append(bytes: $0) }
            writer.append(UInt32(bitPattern: process))
            for text in [processName, address, domain] { writer.append(short: text) }
        }
    }

    /// Reads a greeting.
    ///
    /// - Parameter frame: The frame without its type.
    package init(_ frame: UnsafeRawBufferPointer) throws {
        var reader = ByteReader(frame)
        guard try reader.readBytes(count: WireFormat.magic.count).elementsEqual(WireFormat.magic)
        else {
            throw WireError("a greeting in another protocol")
        }
        lowestVersion = try reader.readUInt8()
        highestVersion = try reader.readUInt8()
        postsNothing = try reader.readUInt16() & Self.postsNothingFlag != 0
        id = PeerID(try reader.readBytes(count: PeerID.size))
        process = Int32(bitPattern: try reader.readUInt32())
        processName = try reader.shortString()
        address = try reader.shortString()
        domain = try reader.shortString()
    }

    package init(id: PeerID, process: Int32, processName: String, address: String, domain: String) {
        self.id = id
        self.process = process
        self.processName = processName
        self.address = address
        self.domain = domain
    }

    /// Returns the reason why the sender of this greeting can't be a peer of the process with
    /// `own`; nil if it can. The peer has written some of the text.
    package func refusal(by own: Greeting) -> String? {
        if lowestVersion > own.highestVersion || highestVersion < own.lowestVersion {
            return "it speaks versions \(lowestVersion) to \(highestVersion) of the protocol, and "
                + "this process \(own.lowestVersion) to \(own.highestVersion)"
        }
        if domain != own.domain {
            return "it is of domain \"\(domain)\", and this process of \"\(own.domain)\""
        }
        return nil
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension DistributedInterest {
    private static let anyName: UInt8 = 1
    private static let anyObject: UInt8 = 2

    /// Writes SUBSCRIBE for this interest, or UNSUBSCRIBE.
    package func write(to writer: inout ByteWriter, isObserved: Bool) {
        writer.frame(isObserved ? .subscribe : .unsubscribe) { writer in
            writer.append((name == nil ? Self.anyName : 0) | (object == nil ? Self.anyObject : 0))
            writer.append(UInt8(0))
            writer.append(UInt16(clamping: name?.utf8.count ?? 0))
            writer.append(UInt32(clamping: object?.utf8.count ?? 0))
            if let name { writer.append(string: name) }
            if let object { writer.append(string: object) }
        }
    }

    /// Reads an interest.
    ///
    /// - Parameter frame: The frame without its type.
    package init(_ frame: UnsafeRawBufferPointer) throws {
        var reader = ByteReader(frame)
        let flags = try reader.readUInt8()
        _ = try reader.readUInt8()
        let nameLength = Int(try reader.readUInt16())
        let objectLength = Int(try reader.readUInt32())
        if objectLength > WireFormat.longestObject {
            throw WireError("a subscription to an object of \(objectLength) bytes")
        }
        let name = try reader.readString(count: nameLength)
        let object = try reader.readString(count: objectLength)
        self.init(
            name: flags & Self.anyName != 0 ? nil : name,
            object: flags & Self.anyObject != 0 ? nil : object)
    }
}

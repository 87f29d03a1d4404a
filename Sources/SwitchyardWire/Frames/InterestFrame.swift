// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// SUBSCRIBE or UNSUBSCRIBE: an interest in a name and an object, where nil stands for any.
package struct InterestFrame {
    package let name: String?
    package let object: String?

    private static let anyName: UInt8 = 1
    private static let anyObject: UInt8 = 2

    package init(name: String?, object: String?) {
        self.name = name
        self.object = object
    }

    /// Writes SUBSCRIBE, or UNSUBSCRIBE.
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
        self.name = flags & Self.anyName != 0 ? nil : name
        self.object = flags & Self.anyObject != 0 ? nil : object
    }
}

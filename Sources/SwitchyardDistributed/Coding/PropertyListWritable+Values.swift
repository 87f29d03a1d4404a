// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardWire

extension Bool: PropertyListWritable {
    func write(into writer: inout ByteWriter, within room: PropertyListRoom) {
        writer.append(self ? PropertyListTag.true : .false)
    }
}

extension Int: PropertyListWritable {
    func write(into writer: inout ByteWriter, within room: PropertyListRoom) {
        writer.append(PropertyListTag.int)
        writer.append(UInt64(bitPattern: Int64(self)))
    }
}

extension Int8: PropertyListWritable {
    func write(into writer: inout ByteWriter, within room: PropertyListRoom) {
        writer.append(PropertyListTag.int8)
        writer.append(UInt8(bitPattern: self))
    }
}

extension Int16: PropertyListWritable {
    func write(into writer: inout ByteWriter, within room: PropertyListRoom) {
        writer.append(PropertyListTag.int16)
        writer.append(UInt16(bitPattern: self))
    }
}

extension Int32: PropertyListWritable {
    func write(into writer: inout ByteWriter, within room: PropertyListRoom) {
        writer.append(PropertyListTag.int32)
        writer.append(UInt32(bitPattern: self))
    }
}

extension Int64: PropertyListWritable {
    func write(into writer: inout ByteWriter, within room: PropertyListRoom) {
        writer.append(PropertyListTag.int64)
        writer.append(UInt64(bitPattern: self))
    }
}

extension UInt: PropertyListWritable {
    func write(into writer: inout ByteWriter, within room: PropertyListRoom) {
        writer.append(PropertyListTag.uint)
        writer.append(UInt64(self))
    }
}

extension UInt8: PropertyListWritable {
    func write(into writer: inout ByteWriter, within room: PropertyListRoom) {
        writer.append(PropertyListTag.uint8)
        writer.append(self)
    }
}

extension UInt16: PropertyListWritable {
    func write(into writer: inout ByteWriter, within room: PropertyListRoom) {
        writer.append(PropertyListTag.uint16)
        writer.append(self)
    }
}

extension UInt32: PropertyListWritable {
    func write(into writer: inout ByteWriter, within room: PropertyListRoom) {
        writer.append(PropertyListTag.uint32)
        writer.append(self)
    }
}

extension UInt64: PropertyListWritable {
    func write(into writer: inout ByteWriter, within room: PropertyListRoom) {
        writer.append(PropertyListTag.uint64)
        writer.append(self)
    }
}

extension Double: PropertyListWritable {
    func write(into writer: inout ByteWriter, within room: PropertyListRoom) {
        writer.append(PropertyListTag.double)
        writer.append(bitPattern)
    }
}

extension Float: PropertyListWritable {
    func write(into writer: inout ByteWriter, within room: PropertyListRoom) {
        writer.append(PropertyListTag.float)
        writer.append(bitPattern)
    }
}

extension CGFloat: PropertyListWritable {
    func write(into writer: inout ByteWriter, within room: PropertyListRoom) {
        Double(self).write(into: &writer, within: room)
    }
}

extension String: PropertyListWritable {
    func write(
        into writer: inout ByteWriter, within room: PropertyListRoom
    ) throws(PropertyListError) {
        writer.append(PropertyListTag.string)
        try writer.append(counted: self, within: room)
    }
}

extension Data: PropertyListWritable {
    func write(
        into writer: inout ByteWriter, within room: PropertyListRoom
    ) throws(PropertyListError) {
        try room.check(writer, additional: count)
        writer.append(PropertyListTag.data)
        try writer.append(count: count)
        withUnsafeBytes { writer.append(bytes: $0) }
    }
}

extension Date: PropertyListWritable {
    func write(into writer: inout ByteWriter, within room: PropertyListRoom) {
        writer.append(PropertyListTag.date)
        writer.append(timeIntervalSinceReferenceDate.bitPattern)
    }
}

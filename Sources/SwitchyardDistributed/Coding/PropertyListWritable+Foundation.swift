// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

// Foundation's classes are taken as what they hold, and come back as Swift's types.
//
// An NSMutableArray or NSMutableDictionary that contains itself is too deep on Apple's systems. On
// Linux nobody can look into it: Foundation converts what an element contains when it gives out the
// element, and doesn't come back.

extension NSNumber: PropertyListWritable {
    /// The class of those that hold a Bool: its own, on all systems.
    private static let booleanClass = ObjectIdentifier(type(of: NSNumber(value: true)))

    /// As Bool, Float, Double, Int, or UInt if it is past Int: how wide the integer was that an
    /// NSNumber was made of, it has forgotten itself.
    func write(
        into writer: inout ByteWriter, within room: PropertyListRoom
    ) throws(PropertyListError) {
        // Its double value would be another number.
        if self is NSDecimalNumber { throw .unsupportedValue(self) }
        if ObjectIdentifier(type(of: self)) == Self.booleanClass {
            return boolValue.write(into: &writer, within: room)
        }
        switch UInt8(bitPattern: objCType.pointee) {
        case UInt8(ascii: "f"): floatValue.write(into: &writer, within: room)
        case UInt8(ascii: "d"): doubleValue.write(into: &writer, within: room)
        case UInt8(ascii: "Q"), UInt8(ascii: "L"):
            guard let int = Int(exactly: uint64Value) else {
                return uintValue.write(into: &writer, within: room)
            }
            int.write(into: &writer, within: room)
        default: intValue.write(into: &writer, within: room)
        }
    }
}

extension NSString: PropertyListWritable {
    func write(
        into writer: inout ByteWriter, within room: PropertyListRoom
    ) throws(PropertyListError) {
        try String(self).write(into: &writer, within: room)
    }
}

extension NSData: PropertyListWritable {
    func write(
        into writer: inout ByteWriter, within room: PropertyListRoom
    ) throws(PropertyListError) {
        try Data(referencing: self).write(into: &writer, within: room)
    }
}

extension NSDate: PropertyListWritable {
    func write(into writer: inout ByteWriter, within room: PropertyListRoom) {
        Date(timeIntervalSinceReferenceDate: timeIntervalSinceReferenceDate)
            .write(into: &writer, within: room)
    }
}

extension NSArray: PropertyListWritable {
    func write(
        into writer: inout ByteWriter, within room: PropertyListRoom
    ) throws(PropertyListError) {
        let room = try room.inside()
        writer.append(PropertyListTag.array)
        try writer.append(count: count)
        for index in 0..<count {
            do throws(PropertyListError) {
                try writer.append(propertyList: object(at: index), within: room)
            } catch {
                throw error.inside(index: index)
            }
        }
    }
}

extension NSDictionary: PropertyListWritable {
    func write(
        into writer: inout ByteWriter, within room: PropertyListRoom
    ) throws(PropertyListError) {
        let room = try room.inside()
        writer.append(PropertyListTag.dictionary)
        try writer.append(count: count)
        for (key, value) in self {
            guard let key = key as? String else { throw .keyIsNoString(key) }
            try writer.append(entry: key, value, within: room)
        }
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardWire

// Foundation's objects are written as the values that they hold, and come back as Swift's types.
//
// An NSMutableArray or NSMutableDictionary that contains itself is an error on Apple's systems: it
// is nested too deep. On Linux it can't be detected, because Foundation converts all that an
// element contains when it returns the element, and recurses for ever.

extension NSNumber: PropertyListWritable {
    /// The class of NSNumbers that hold a Bool, which is a class of its own on all systems.
    private static let booleanClass = ObjectIdentifier(type(of: NSNumber(value: true)))

    /// Writes the number as a Bool, Float, Double, Int, or UInt if it is past Int.max. An NSNumber
    /// does not know the width of the integer that it was made from.
    func write(
        into writer: inout ByteWriter, within room: PropertyListRoom
    ) throws(PropertyListError) {
        // Converting a decimal number to Double would change it.
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
        // The code does not use `String.init`, which on Linux takes every string for one that
        // Foundation made: the strings of C code are CoreFoundation's.
        try String._unconditionallyBridgeFromObjectiveC(self).write(into: &writer, within: room)
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

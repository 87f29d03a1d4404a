// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import SwitchyardDistributed
import SwitchyardWire

/// The bytes that a value is encoded to.
func encoded(_ value: Any, limit: Int = .max) throws(PropertyListError) -> [UInt8] {
    var writer = ByteWriter()
    try PropertyListCoding.encode(value, into: &writer, limit: limit)
    return writer.withBytes { Array($0) }
}

func encoded(userInfo: [AnyHashable: Any]) throws(PropertyListError) -> [UInt8] {
    var writer = ByteWriter()
    try PropertyListCoding.encode(userInfo: userInfo, into: &writer)
    return writer.withBytes { Array($0) }
}

func decoded(_ bytes: [UInt8]) throws -> Any {
    try bytes.withUnsafeBytes { try PropertyListCoding.decode($0) }
}

func decodedUserInfo(_ bytes: [UInt8]) throws -> [AnyHashable: Any] {
    try bytes.withUnsafeBytes { try PropertyListCoding.decodeUserInfo($0) }
}

/// The reason why a value is refused; nil if it is not refused.
func refusal(of value: Any, limit: Int = .max) -> PropertyListError? {
    do throws(PropertyListError) {
        _ = try encoded(value, limit: limit)
        return nil
    } catch {
        return error
    }
}

func refusal(of userInfo: [AnyHashable: Any]) -> PropertyListError? {
    do throws(PropertyListError) {
        _ = try encoded(userInfo: userInfo)
        return nil
    } catch {
        return error
    }
}

/// The position and reason for which bytes are malformed; nil if they are not.
func malformation(of bytes: [UInt8]) -> MalformedBytes? {
    bytes.withUnsafeBytes { bytes in
        do throws(MalformedBytes) {
            _ = try PropertyListCoding.decode(bytes)
            return nil
        } catch {
            return error
        }
    }
}

/// `value` inside `depth` arrays.
func nested(_ depth: Int, around value: Any = true) -> Any {
    (0..<depth).reduce(value) { inner, _ in [inner] }
}

/// A value of each type, and some of each inside others.
var sample: [AnyHashable: Any] {
    [
        "true": true, "false": false,
        "Int": -2, "Int8": Int8.min, "Int16": Int16.max, "Int32": Int32.min, "Int64": Int64.max,
        "UInt": UInt.max, "UInt8": UInt8.max, "UInt16": UInt16.max, "UInt32": UInt32.max,
        "UInt64": UInt64.max,
        "Double": Double.pi, "Float": Float.leastNonzeroMagnitude,
        "String": "Straße 🚃", "Data": Data([0, 1, 254, 255]),
        "Date": Date(timeIntervalSinceReferenceDate: 0.1),
        "Array": ["a", 1, [2.5, [Any]()] as [Any]] as [Any],
        "Dictionary": ["": true, "é": ["inner": Data()]] as [String: Any],
    ]
}

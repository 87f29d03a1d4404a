// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
internal import SwitchyardWire

/// A format for notifications as data, to be kept in a file or sent by other means.
///
/// ```swift
/// let data = try NotificationArchive.encode(notification)
/// let same = try NotificationArchive.decode(data)
/// ```
/// The name, the object and `userInfo` come back unchanged, including the types of numbers: a
/// `Bool` is no `Int`, and a `Date` is exact to the last bit. The object may be nil or any
/// property-list value: a `Bool`, a number (an integer of up to 64 bits, `Float`, `Double`), a
/// `String`, `Data`, a `Date`, an array of such values, or a dictionary of them with strings as
/// keys, nested at most 64 deep. The values in `userInfo` may be the same, and its keys are
/// strings.
///
/// Decoded values are of Swift's types: an `NSString` comes back as a `String`, an `NSNumber` as
/// the `Bool`, `Float`, `Double` or `Int` that it holds (`UInt` past `Int.max`), a `CGFloat` as a
/// `Double`, an array as `[Any]`, and a dictionary as `[String: Any]`.
///
/// An archive may come from anywhere. An archive that is cut off, damaged or forged is an error and
/// nothing worse, and reading it takes at most a small multiple of its size in memory.
///
/// The data is the same on all systems. It begins with the four bytes `SYNA` and a version, 1. Next
/// comes a byte of flags: the lowest bit if there is an object, the second if there is `userInfo`.
/// The name follows (the count of its bytes in four, the lowest first, and its UTF-8), then the
/// object, and then `userInfo`.
public enum NotificationArchive {
    /// The bytes "SYNA", as they stand in the data.
    private static var magic: UInt32 { 0x414e_5953 }
    private static var version: UInt8 { 1 }

    private struct Parts: OptionSet {
        let rawValue: UInt8
        static let object = Parts(rawValue: 1)
        static let userInfo = Parts(rawValue: 2)
        static let all: Parts = [.object, .userInfo]
    }

    /// Returns the notification as data.
    ///
    /// - Throws: ``PropertyListError`` if the object or `userInfo` has something that is no
    ///   property-list value. The error says where.
    /// - Complexity: O(*n*), where *n* is the length of the data.
    public static func encode(_ notification: Notification) throws(PropertyListError) -> Data {
        var writer = ByteWriter()
        writer.append(magic)
        writer.append(version)
        var parts: Parts = []
        if notification.object != nil { parts.insert(.object) }
        if notification.userInfo != nil { parts.insert(.userInfo) }
        writer.append(parts.rawValue)
        let name = notification.name.rawValue
        do throws(PropertyListError) {
            try writer.append(count: name.utf8.count)
        } catch {
            throw error.inside(name: "name")
        }
        writer.append(string: name)
        if let object = notification.object {
            try PropertyListCoding.encode(object, named: "object", into: &writer)
        }
        if let userInfo = notification.userInfo {
            try PropertyListCoding.encode(userInfo: userInfo, into: &writer)
        }
        return writer.withBytes { Data($0) }
    }

    /// Returns the notification that ``encode(_:)`` made into `data`.
    ///
    /// - Throws: ``PropertyListError`` if `data` is not such data.
    /// - Complexity: O(*n*), where *n* is the length of the data.
    public static func decode(_ data: Data) throws(PropertyListError) -> Notification {
        // A result, because `Data.withUnsafeBytes` does not pass on the type of a thrown error.
        let result = data.withUnsafeBytes { bytes in
            Result { () throws(PropertyListError) in try decode(bytes) }
        }
        return try result.get()
    }

    private static func decode(
        _ bytes: UnsafeRawBufferPointer
    ) throws(PropertyListError) -> Notification {
        var reader = ByteReader(bytes)
        do throws(MalformedBytes) {
            guard try reader.readUInt32() == magic else {
                throw MalformedBytes(at: 0, expected: "SYNA, with which each archive begins")
            }
            let version = try reader.readUInt8()
            if version == self.version { return try decodeParts(from: &reader) }
            guard version > self.version else {
                throw MalformedBytes(at: 4, expected: "the version of an archive")
            }
        } catch {
            throw PropertyListError(.malformed, "this is no notification's archive: \(error)")
        }
        throw PropertyListError(
            .unknownVersion,
            "this notification was archived by a later version of Switchyard: read it with one"
        )
    }

    private static func decodeParts(
        from reader: inout ByteReader
    ) throws(MalformedBytes) -> Notification {
        let start = reader
        let parts = Parts(rawValue: try reader.readUInt8())
        guard parts.isSubset(of: .all) else {
            throw start.malformed(expected: "a byte of known flags")
        }
        let name = Notification.Name(try reader.readCountedString())
        let object = parts.contains(.object) ? try PropertyListCoding.decode(from: &reader) : nil
        let userInfo =
            parts.contains(.userInfo) ? try PropertyListCoding.decodeUserInfo(from: &reader) : nil
        try reader.expectEnd()
        return Notification(name: name, object: object, userInfo: userInfo)
    }
}

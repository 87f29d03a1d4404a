// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
package import SwitchyardWire

/// The encoded payload of a notification between processes.
///
/// A payload can be made once and posted any number of times. A received payload is decoded when it
/// is read.
public struct DistributedPayload: Sendable, Hashable {
    package let kind: PayloadKind
    /// The key of `userInfo` under which posted bytes are found.
    package static let dataKey = "org.switchyard.data"
    /// The encoded bytes, as they travel.
    public let bytes: [UInt8]

    package init(_ kind: PayloadKind, _ bytes: [UInt8]) {
        self.kind = kind
        self.bytes = bytes
    }

    /// No payload.
    public static let none = DistributedPayload(.none, [])

    /// The format of a payload's bytes. More may come.
    ///
    /// A transport of your own carries the format's ``rawValue`` beside the bytes.
    public struct Format: RawRepresentable, Sendable, Hashable {
        /// The format's number in Switchyard's own protocol (docs/wire-protocol.md).
        public let rawValue: UInt8

        /// Creates a format of a number that came from another process.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// No payload, and no bytes.
        public static let empty = Format(.none)
        /// The dictionary of a property list, encoded: `userInfo`.
        public static let propertyList = Format(.propertyList)
        /// A typed message as JSON.
        public static let json = Format(.json)
        /// Bytes whose meaning is up to the observers of the name.
        public static let bytes = Format(.bytes)

        private init(_ kind: PayloadKind) { rawValue = kind.rawValue }
    }

    /// The format of ``bytes``.
    public var format: Format { Format(rawValue: kind.rawValue) }

    /// Creates a payload of bytes that another process has encoded, for a transport of your own.
    /// Bytes that are not in the format are found out when an observer reads the payload.
    ///
    /// - Parameters:
    ///   - bytes: the ``bytes`` of the payload that was posted.
    ///   - format: that payload's ``format-swift.property``.
    /// - Throws: ``DistributedPostError`` if this version does not know the format, or if there are
    ///   too many bytes.
    public init(encoded bytes: [UInt8], as format: Format) throws {
        guard let kind = PayloadKind(rawValue: format.rawValue) else {
            throw DistributedPostError(
                .unknownFormat,
                "the format of a payload is \(format.rawValue), which this version does not know: use "
                    + "the same version at both ends")
        }
        guard kind != .none || bytes.isEmpty else {
            throw DistributedPostError(
                .unknownFormat,
                "a payload of the format \(format.rawValue) has no bytes, and \(bytes.count) were "
                    + "given: carry the format of each payload beside its bytes")
        }
        self.init(kind, bytes)
        try check()
    }

    /// Creates a payload of bytes whose meaning is up to the observers of the name. Observers of
    /// notifications find them in `userInfo` as `Data`, under
    /// ``DistributedNotificationCenter/dataKey``.
    ///
    /// - Throws: ``DistributedPostError`` if there are too many bytes.
    public init(bytes: [UInt8]) throws {
        self.init(.bytes, bytes)
        try check()
    }

    /// Creates a payload from the dictionary of a property list.
    ///
    /// - Throws: ``DistributedPostError`` if a value can't be in a property list, or if the payload
    ///   is too long. The error says which value, and what to do.
    public init(userInfo: [AnyHashable: Any]?) throws {
        guard let userInfo else {
            self = .none
            return
        }
        var writer = ByteWriter()
        do throws(PropertyListError) {
            try PropertyListCoding.encode(
                userInfo: userInfo, into: &writer, limit: WireFormat.longestPayload)
        } catch {
            let code: DistributedPostError.Code =
                error.code == .tooLarge ? .tooLong : .notPropertyList
            throw DistributedPostError(code, error.description, cause: error)
        }
        self.init(.propertyList, writer.withBytes { Array($0) })
        try check()
    }

    /// Creates a payload from an encoded property list, whose outermost value is a dictionary.
    package init(encodedUserInfo bytes: [UInt8]) throws {
        self.init(.propertyList, bytes)
        try check()
    }

    /// Creates a payload from a typed message, encoded as JSON.
    ///
    /// - Throws: ``DistributedPostError`` if the message can't be encoded, is too long, or has more
    ///   than 64 arrays and objects inside each other.
    public init<Message: DistributedMessage>(message: Message) throws {
        do {
            let json = try JSONCoding.encode(message)
            // Each array or object takes two bytes.
            if json.count > 2 * PropertyListCoding.maximumDepth {
                try json.withUnsafeBytes { try JSONDepth.check($0) }
            }
            self.init(.json, json)
        } catch {
            throw DistributedPostError(
                .notEncodable, "\(Message.self) could not be encoded: \(error)", cause: error)
        }
        try check()
    }

    private func check() throws {
        if bytes.count > WireFormat.longestPayload {
            throw DistributedPostError.tooLong(bytes.count)
        }
    }

    /// The payload as a dictionary: the property list, a message's JSON object, or posted bytes
    /// under ``DistributedNotificationCenter/dataKey``.
    ///
    /// - Throws: An error if the bytes are malformed.
    public var userInfo: [AnyHashable: Any]? {
        get throws {
            switch kind {
            case .none: return nil
            case .propertyList:
                return try bytes.withUnsafeBytes { try PropertyListCoding.decodeUserInfo($0) }
            case .json:
                if let info = bytes.withUnsafeBytes(Self.propertyList(ofJSON:)) { return info }
                try bytes.withUnsafeBytes { try JSONDepth.check($0) }
                let object: Any
                do {
                    object = try JSONSerialization.jsonObject(with: Data(bytes))
                } catch {
                    throw MalformedInput("it is not JSON: \(JSONCoding.words(for: error))")
                }
                return (object as? [String: Any]).map { info in
                    Dictionary(uniqueKeysWithValues: info.map { (AnyHashable($0), Self.plain($1)) })
                }
            case .bytes: return [Self.dataKey: Data(bytes)]
            }
        }
    }

    /// Returns a value of JSON that Foundation has read, with numbers of one type: `Bool`, `Int`,
    /// `UInt` if that is too small, or `Double`. Foundation's numbers are all of these at once.
    private static func plain(_ value: Any) -> Any {
        switch value {
        case let values as [Any]: return values.map(plain)
        case let members as [String: Any]: return members.mapValues(plain)
        case let number as NSNumber:
            switch String(cString: number.objCType) {
            case "c", "B": return number.boolValue
            case "d", "f":
                // Foundation reads negative integers of 19 digits as decimal numbers.
                if number.doubleValue <= -1e18, let whole = Int(number.stringValue) { return whole }
                return number.doubleValue
            default:
                if number.intValue < 0, number.doubleValue > 0 { return number.uintValue }
                return number.intValue
            }
        default: return value
        }
    }

    /// Returns a JSON object as a dictionary, with integers as `Int` and other numbers as `Double`.
    /// Returns nil for JSON that no property list can hold, such as null.
    private static func propertyList(ofJSON json: UnsafeRawBufferPointer) -> [AnyHashable: Any]? {
        var list = ByteWriter()
        guard (try? JSONScanner.append(value: json, to: &list)) != nil else { return nil }
        return list.withBytes { try? PropertyListCoding.decodeUserInfo($0) }
    }

    /// Returns the typed message; nil if the payload is no message.
    ///
    /// - Throws: The error of the message's decoding.
    public func message<Message: DistributedMessage>(_ type: Message.Type) throws -> Message? {
        kind == .json ? try bytes.withUnsafeBytes { try JSONCoding.decode(type, from: $0) } : nil
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// What a notification carries between processes, encoded.
///
/// Made once, it can be posted any number of times; one that is received is decoded when it is read.
public struct DistributedPayload: Sendable, Hashable {
    package let kind: PayloadKind
    /// As they travel.
    public let bytes: [UInt8]

    package init(_ kind: PayloadKind, _ bytes: [UInt8]) {
        self.kind = kind
        self.bytes = bytes
    }

    /// No payload.
    public static let none = DistributedPayload(.none, [])

    /// Bytes that mean something to whoever observes the name. Observers of notifications find them
    /// in `userInfo` as `Data`, under ``DistributedNotificationCenter/dataKey``.
    ///
    /// - Throws: ``DistributedPostError`` when they are too many.
    public init(bytes: [UInt8]) throws {
        self.init(.bytes, bytes)
        try check()
    }

    /// A property list's dictionary.
    ///
    /// - Throws: ``DistributedPostError`` when a value is no property list's, or when they are too
    ///   many bytes: it says which, and what to do.
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
                error.kind == .tooLarge ? .tooLong : .notPropertyList
            throw DistributedPostError(code, error.description, cause: error)
        }
        self.init(.propertyList, writer.withBytes { Array($0) })
        try check()
    }

    /// A property list's dictionary that is encoded already.
    package init(encodedUserInfo bytes: [UInt8]) throws {
        self.init(.propertyList, bytes)
        try check()
    }

    /// A typed message, as JSON.
    ///
    /// - Throws: ``DistributedPostError`` when it can't be encoded, or is too long.
    public init<Message: DistributedMessage>(message: Message) throws {
        do {
            self.init(.json, Array(try JSONCoding.encoder.encode(message)))
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

    /// The property list, or a message's JSON object.
    ///
    /// - Throws: when the bytes are no such thing.
    public var userInfo: [AnyHashable: Any]? {
        get throws {
            switch kind {
            case .none: return nil
            case .propertyList:
                return try bytes.withUnsafeBytes { try PropertyListCoding.decodeUserInfo($0) }
            case .json:
                if let info = bytes.withUnsafeBytes(Self.propertyList(ofJSON:)) { return info }
                let object = try JSONSerialization.jsonObject(with: Data(bytes))
                return (object as? [String: Any]).map { info in
                    Dictionary(uniqueKeysWithValues: info.map { (AnyHashable($0), $1) })
                }
            case .bytes: return [DistributedNotificationCenter.dataKey: Data(bytes)]
            }
        }
    }

    /// What a JSON object says, with integers as `Int` and other numbers as `Double`; nil for what no
    /// property list holds, such as null.
    private static func propertyList(ofJSON json: UnsafeRawBufferPointer) -> [AnyHashable: Any]? {
        var list = ByteWriter()
        guard (try? JSONScanner.append(value: json, to: &list)) != nil else { return nil }
        return list.withBytes { try? PropertyListCoding.decodeUserInfo($0) }
    }

    /// The typed message.
    ///
    /// - Throws: when the bytes are no such message.
    public func message<Message: DistributedMessage>(_ type: Message.Type) throws -> Message? {
        kind == .json ? try JSONCoding.decoder.decode(type, from: Data(bytes)) : nil
    }
}

/// The coders of typed messages.
enum JSONCoding {
    static let encoder = JSONEncoder()
    static let decoder = JSONDecoder()
}

/// Why something can't be posted to other processes.
public struct DistributedPostError: Error, CustomStringConvertible {
    /// What kind of error it is. More kinds may come.
    public struct Code: Sendable, Hashable {
        private let name: String
        private init(_ name: String) { self.name = name }

        /// `userInfo` holds something that is no property list's.
        public static let notPropertyList = Code("notPropertyList")
        /// A message's `encode(to:)` threw.
        public static let notEncodable = Code("notEncodable")
        /// The payload, the name or the object is too long.
        public static let tooLong = Code("tooLong")
        /// The object is no string.
        public static let objectIsNoString = Code("objectIsNoString")
        /// What was posted before has not been sent yet, and takes all the room there is for it.
        public static let bufferIsFull = Code("bufferIsFull")
        /// The center does not reach other processes.
        public static let notConnected = Code("notConnected")
    }

    /// What kind of error it is.
    public let code: Code
    /// What was wrong, and what to do.
    public let description: String
    /// What it comes from.
    public let cause: (any Error)?

    package init(_ code: Code, _ description: String, cause: (any Error)? = nil) {
        self.code = code
        self.description = description
        self.cause = cause
    }

    static func tooLong(_ count: Int) -> DistributedPostError {
        DistributedPostError(
            .tooLong,
            "the payload takes \(count) bytes, and a notification carries at most "
                + "\(WireFormat.longestPayload): put it into a file, and post where that is")
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

extension DistributedMessage {
    /// Returns the message whose properties are in `userInfo`. Keys that the message does not have
    /// are passed over, whatever their values.
    ///
    /// - Throws: `DecodingError` if a property is missing, or its value is of another type.
    static func message(from userInfo: [AnyHashable: Any]?) throws -> Self {
        let userInfo = userInfo ?? [:]
        let info = UserInfoJSON(userInfo) { $0.marked }
        if info.special.isEmpty { return try message(from: info) }
        let message: Self
        do {
            let json = try JSONSerialization.data(withJSONObject: info.object)
            message = try MarkedValue.decoder.decode(Self.self, from: json)
        } catch let error as DecodingError {
            guard case .typeMismatch(_, let context) = error, let key = context.codingPath.first,
                let type = info.special[key.stringValue]
            else { throw error }
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: context.codingPath,
                    debugDescription: "the property can't hold the value, a \(type)"))
        }
        // A property may hold any JSON, and have taken the mark for a value.
        if !MarkedValue.isMark(in: message) { return message }
        let plain = try self.message(from: UserInfoJSON(userInfo) { $0.unmarked })
        if !MarkedValue.isMark(in: plain) { return plain }
        throw DecodingError.dataCorrupted(
            DecodingError.Context(
                codingPath: [], debugDescription: "JSON has no such value as one in userInfo"))
    }

    private static func message(from info: UserInfoJSON) throws -> Self {
        let json = try JSONSerialization.data(withJSONObject: info.object)
        return try json.withUnsafeBytes { try JSONCoding.decode(Self.self, from: $0) }
    }
}

/// A `userInfo` in the form of a JSON object.
private struct UserInfoJSON {
    private(set) var object: [String: Any] = [:]
    /// The types of the values in which there is one that JSON has not, by key.
    private(set) var special: [String: String] = [:]

    /// - Parameter form: the form of a value that JSON has not.
    init(_ userInfo: [AnyHashable: Any], _ form: (MarkedValue) -> Any) {
        for (key, value) in userInfo {
            guard let key = key as? String else { continue }
            var isSpecial = false
            object[key] = Self.json(of: value) {
                isSpecial = true
                return form($0)
            }
            if isSpecial { special[key] = "\(type(of: value))" }
        }
    }

    private static func json(of value: Any, _ form: (MarkedValue) -> Any) -> Any {
        switch value {
        case let values as [Any]: return values.map { json(of: $0, form) }
        case let members as [String: Any]: return members.mapValues { json(of: $0, form) }
        default: break
        }
        if JSONSerialization.isValidJSONObject([value]) { return value }
        switch value {
        case let date as Date where date.timeIntervalSinceReferenceDate.isFinite:
            return form(.date(date))
        case let data as Data: return form(.data(data))
        default: return form(.other)
        }
    }
}

/// A value that JSON has not.
private enum MarkedValue {
    case date(Date)
    case data(Data)
    /// A value that no message can hold, such as infinity.
    case other

    /// A text that stands in no message.
    private static let mark = "org.switchyard \(UUID())"

    /// Whether a message has a mark in it. One that can't be encoded has none.
    static func isMark(in message: some Encodable) -> Bool {
        guard let json = try? JSONCoding.encode(message) else { return false }
        return Data(json).range(of: Data(mark.utf8)) != nil
    }

    /// The value behind a mark, so that it is read neither as a number nor as a text: in a list of
    /// lists of lists.
    var marked: [[[Any]]] {
        switch self {
        case .date(let date): [[[Self.mark, 1, date.timeIntervalSinceReferenceDate]]]
        case .data(let data): [[[Self.mark, 2, data.base64EncodedString()]]]
        case .other: [[[Self.mark, 0]]]
        }
    }

    /// The value as messages have it; marked, if no message can hold it.
    var unmarked: Any {
        switch self {
        case .date(let date): date.timeIntervalSinceReferenceDate
        case .data(let data): data.base64EncodedString()
        case .other: marked
        }
    }

    /// Reads messages with marked values. `Date` and `Data` are also read as messages have them.
    static let decoder: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            var marked = try marked(1, in: decoder)
            let seconds =
                try marked?.decode(Double.self)
                ?? decoder.singleValueContainer().decode(Double.self)
            return Date(timeIntervalSinceReferenceDate: seconds)
        }
        decoder.dataDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            var marked = try marked(2, in: decoder)
            let text = try marked?.decode(String.self) ?? container.decode(String.self)
            if let data = Data(base64Encoded: text) { return data }
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "it is not base64")
        }
        return decoder
    }()

    /// The value of a kind behind a mark; nil if there is no mark.
    private static func marked(
        _ kind: Int, in decoder: any Decoder
    ) throws -> (any UnkeyedDecodingContainer)? {
        guard var outer = try? decoder.unkeyedContainer(),
            var middle = try? outer.nestedUnkeyedContainer(),
            var inner = try? middle.nestedUnkeyedContainer(),
            try inner.decode(String.self) == mark, try inner.decode(Int.self) == kind
        else { return nil }
        return inner
    }
}

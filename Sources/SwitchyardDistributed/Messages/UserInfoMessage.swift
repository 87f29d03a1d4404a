// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

extension DistributedMessage {
    /// Returns the message whose properties are in `userInfo`. Keys that the message does not have
    /// are passed over, whatever their values.
    ///
    /// - Throws: `DecodingError` if a property is missing, or its value is of another type.
    static func message(from userInfo: [AnyHashable: Any]?) throws -> Self {
        let info = UserInfoJSON(userInfo ?? [:])
        let json = try JSONSerialization.data(withJSONObject: info.object)
        if info.marked.isEmpty {
            return try json.withUnsafeBytes { try JSONCoding.decode(Self.self, from: $0) }
        }
        do {
            return try MarkedValue.decoder.decode(Self.self, from: json)
        } catch let error as DecodingError {
            guard case .typeMismatch(_, let context) = error, let key = context.codingPath.first,
                let type = info.marked[key.stringValue]
            else { throw error }
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: context.codingPath,
                    debugDescription: "the property can't hold the value, a \(type)"))
        }
    }
}

/// A `userInfo` in the form of a JSON object.
private struct UserInfoJSON {
    private(set) var object: [String: Any] = [:]
    /// The types of the values in which there is a marked one, by key.
    private(set) var marked: [String: String] = [:]

    init(_ userInfo: [AnyHashable: Any]) {
        for (key, value) in userInfo {
            guard let key = key as? String else { continue }
            var isMarked = false
            object[key] = Self.form(of: value, &isMarked)
            if isMarked { marked[key] = "\(type(of: value))" }
        }
    }

    private static func form(of value: Any, _ isMarked: inout Bool) -> Any {
        switch value {
        case let values as [Any]: return values.map { form(of: $0, &isMarked) }
        case let members as [String: Any]: return members.mapValues { form(of: $0, &isMarked) }
        default: break
        }
        if JSONSerialization.isValidJSONObject([value]) { return value }
        isMarked = true
        switch value {
        case let date as Date where date.timeIntervalSinceReferenceDate.isFinite:
            return MarkedValue.date(date).json
        case let data as Data: return MarkedValue.data(data).json
        default: return MarkedValue.other.json
        }
    }
}

/// A value that JSON has not, in a form that is read as nothing else: no property is a list of lists
/// of lists in which texts and numbers are mixed.
private enum MarkedValue {
    case date(Date)
    case data(Data)
    /// A value that no message can hold, such as infinity.
    case other

    var json: [[[Any]]] {
        switch self {
        case .date(let date): [[["date", 0, date.timeIntervalSinceReferenceDate]]]
        case .data(let data): [[["data", 0, data.base64EncodedString()]]]
        case .other: [[["other", 0]]]
        }
    }

    /// Reads messages in which there are such values. `Date` and `Data` are also read as messages
    /// have them otherwise.
    static let decoder: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            var marked = try marked("date", in: decoder)
            let seconds =
                try marked?.decode(Double.self)
                ?? decoder.singleValueContainer().decode(Double.self)
            return Date(timeIntervalSinceReferenceDate: seconds)
        }
        decoder.dataDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            var marked = try marked("data", in: decoder)
            let text = try marked?.decode(String.self) ?? container.decode(String.self)
            if let data = Data(base64Encoded: text) { return data }
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "it is not base64")
        }
        return decoder
    }()

    /// The value behind a mark; nil if there is no mark.
    private static func marked(
        _ mark: String, in decoder: any Decoder
    ) throws -> (any UnkeyedDecodingContainer)? {
        guard var outer = try? decoder.unkeyedContainer(),
            var middle = try? outer.nestedUnkeyedContainer(),
            var inner = try? middle.nestedUnkeyedContainer(),
            try inner.decode(String.self) == mark
        else { return nil }
        _ = try inner.decode(Int.self)
        return inner
    }
}

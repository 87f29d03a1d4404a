// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

extension DistributedMessage {
    /// Returns the message whose properties are in `userInfo`. Keys that the message does not have
    /// are passed over, whatever their values.
    ///
    /// - Throws: `DecodingError` if a property is missing, or its value is of another type.
    static func message(from userInfo: [AnyHashable: Any]?) throws -> Self {
        let info = UserInfoJSON(userInfo ?? [:])
        let data = try JSONSerialization.data(withJSONObject: info.object)
        do {
            let message = try data.withUnsafeBytes { try JSONCoding.decode(Self.self, from: $0) }
            try info.check(message)
            return message
        } catch DecodingError.keyNotFound(let key, let context)
            where info.leftOut[key.stringValue] != nil && context.codingPath.isEmpty
        {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: [key],
                    debugDescription: "no message can hold its value, a "
                        + (info.leftOut[key.stringValue] ?? "")))
        }
    }
}

/// A `userInfo` in the form of a message: as a JSON object, in which `Date` and `Data` are what
/// Foundation's coders make of them.
private struct UserInfoJSON {
    private(set) var object: [String: Any] = [:]
    /// The types of the values that JSON can't hold, by key.
    private(set) var leftOut: [String: String] = [:]
    /// The keys whose values are a `Date` or `Data`.
    private var converted: [String] = []

    init(_ userInfo: [AnyHashable: Any]) {
        for (key, value) in userInfo {
            guard let key = key as? String else { continue }
            if let form = Self.form(of: value) {
                object[key] = form
                if value is Date || value is Data { converted.append(key) }
            } else {
                leftOut[key] = "\(type(of: value))"
            }
        }
    }

    /// The value in JSON; nil if there is none.
    private static func form(of value: Any) -> Any? {
        switch value {
        case let date as Date:
            let seconds = date.timeIntervalSinceReferenceDate
            return seconds.isFinite ? seconds : nil
        case let data as Data: return data.base64EncodedString()
        case let values as [Any]:
            let forms = values.compactMap(form)
            return forms.count == values.count ? forms : nil
        case let members as [String: Any]: return members.compactMapValues(form)
        default: return JSONSerialization.isValidJSONObject([value]) ? value : nil
        }
    }

    /// Checks that the properties to which a `Date` or `Data` was given are no numbers and texts.
    func check(_ message: Any) throws {
        if converted.isEmpty { return }
        for case (let label?, let value) in Mirror(reflecting: message).children
        where converted.contains(label) {
            if value is String || value is any BinaryInteger || value is any BinaryFloatingPoint {
                throw DecodingError.typeMismatch(
                    type(of: value),
                    DecodingError.Context(
                        codingPath: [],
                        debugDescription: "the value of \"\(label)\" is of another type"
                    ))
            }
        }
    }
}

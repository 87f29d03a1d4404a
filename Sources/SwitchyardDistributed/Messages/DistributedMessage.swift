// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
@_spi(Engine) internal import Switchyard
@_spi(Engine) public import SwitchyardCore

/// A typed message that goes to other processes.
///
/// ```swift
/// struct ConverterAdded: DistributedMessage {
///     static let name = Notification.Name("org.example.ConverterAdded")
///     var format: String
/// }
/// try center.post(ConverterAdded(format: "RTF"), subject: "text")
/// let token = center.observe(ConverterAdded.self) { print($0.format) }
/// ```
/// It travels as JSON, and is decoded for each of its observers. Observers of its name see its
/// properties in `userInfo`; what is posted under its name with a `userInfo` that has them is a message.
public protocol DistributedMessage: NotificationMessage, Codable where Subject == String {
    /// Under what name it is posted: the same in all programs. Unless you say otherwise, the names
    /// of its module, of the types it is in, and its own, with dots between them.
    static var name: Notification.Name { get }
}

extension DistributedMessage {
    /// The full name of the type, as in `Module.Outer.Inner`. Types that are private, or in a
    /// function, are named alike: two such in different places have to say themselves what is
    /// whose.
    public static var name: Notification.Name { DistributedTypeName.of(Self.self) }

    /// Under the name, so that both kinds of observers hear both kinds of posts.
    public static var carrier: MessageCarrier<Self>? { NamedCarrier(conversion) }

    static var conversion: NamedConversion<Self> {
        NamedConversion(
            name: name,
            makeMessage: { try? Self.message(from: $0.userInfo) },
            makeNotification: { message in
                let info = try? message.distributedPayload.userInfo
                return Notification(name: name, object: nil, userInfo: info)
            })
    }

    /// The message whose properties are in `userInfo`.
    static func message(from userInfo: [AnyHashable: Any]?) throws -> Self {
        var object: [String: Any] = [:]
        for (key, value) in userInfo ?? [:] {
            if let key = key as? String { object[key] = value }
        }
        guard JSONSerialization.isValidJSONObject(object) else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: [],
                    debugDescription: "userInfo has what JSON has not, such as Data or a Date"))
        }
        let data = try JSONSerialization.data(withJSONObject: object)
        return try JSONCoding.decoder.decode(Self.self, from: data)
    }

    /// The message, encoded.
    var distributedPayload: DistributedPayload {
        get throws { try DistributedPayload(message: self) }
    }
}

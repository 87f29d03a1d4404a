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
/// The message travels as JSON, and is decoded for each of its observers. Observers of its name see
/// its properties in `userInfo`. A notification posted under its name, with its properties in
/// `userInfo`, reaches its observers as a message.
public protocol DistributedMessage: NotificationMessage, Codable where Subject == String {
    /// The name under which the message is posted: the same in all programs. By default the full
    /// name of the type: its module, the types it is nested in, and its own name, with dots between
    /// them.
    static var name: Notification.Name { get }
}

extension DistributedMessage {
    /// The full name of the type, such as `Module.Outer.Inner`. The name of a private type, or of
    /// one declared in a function, leaves out where it stands: if two such types share a name,
    /// declare `name` in both.
    public static var name: Notification.Name { DistributedTypeName.of(Self.self) }

    /// The carrier that posts messages under their name, so that observers of messages and of
    /// notifications hear both.
    public static var _carrier: _AnyMessageCarrier? { NamedCarrier(conversion) }

    static var conversion: NamedConversion<Self> {
        NamedConversion(
            name: name, readMessage: { try ($0 as? EncodedMessage)?.read(as: Self.self) },
            makeMessage: { try Self.message(of: $0) },
            makeNotification: { message in
                let info = try? message.distributedPayload.userInfo
                return Notification(name: name, object: nil, userInfo: info)
            })
    }

    /// The message that a notification posted in this process stands for.
    private static func message(of notification: Notification) throws -> Self {
        do {
            return try message(from: notification.userInfo)
        } catch {
            throw DeliverySkipped(
                DeliveryProblem(
                    .notConvertible,
                    "what this process posted as \"\(name.rawValue)\" is no \(Self.self), so its "
                        + "observers did not get it: \(JSONCoding.words(for: error).shown)",
                    error: error, topic: "\"\(name.rawValue)\""))
        }
    }

    /// The encoded message.
    var distributedPayload: DistributedPayload {
        get throws { try DistributedPayload(message: self) }
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
public import SwitchyardCore

/// A request that goes to other processes, too.
///
/// ```swift
/// struct FindConverter: DistributedRequest {
///     static let name = Notification.Name("org.example.FindConverter")
///     typealias Reply = String
///     var format: String
/// }
/// let token = center.answer(FindConverter.self) { $0.format == "RTF" ? "converts RTF" : "does not" }
/// let all = try await center.request(FindConverter(format: "RTF"), .all, within: .seconds(2))
/// ```
/// A ``DistributedNotificationCenter`` asks those who answer it in all processes, this one
/// included. The request and its answers travel as JSON. Other requests stay in their process.
public protocol DistributedRequest: RequestMessage, Codable
where Reply: Codable, Subject == String {
    /// The name of the request: the same in all programs. By default the full name of the type, as
    /// for ``DistributedMessage/name``.
    static var name: Notification.Name { get }
}

extension DistributedRequest {
    /// The full name of the type, such as `Module.Outer.Inner`. The name of a private type, or of
    /// one declared in a function, leaves out where it stands: if two such types share a name,
    /// declare `name` in both.
    public static var name: Notification.Name { DistributedTypeName.of(Self.self) }

    /// ``name``.
    public static var _name: String? { name.rawValue }
}

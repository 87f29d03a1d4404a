// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardCore
internal import SwitchyardWire

/// An interest of a process: notifications of a name, about an object.
public struct DistributedInterest: Sendable, Hashable {
    /// The name; nil for any.
    public let name: String?
    /// The object; nil for any or none.
    public let object: String?

    /// Creates an interest in notifications of a name, about an object; nil stands for any.
    public init(name: String?, object: String?) {
        self.name = name
        self.object = object
    }
}

extension DistributedInterest: CustomStringConvertible {
    /// The interest, for people.
    public var description: String {
        (name.map { "\"\($0.shown)\"" } ?? "any name")
            + (object.map { " about \"\($0.shown)\"" } ?? "")
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// The type of an expression, as far as it is known.
indirect enum ValueType {
    /// A notification center that becomes Switchyard's.
    case center
    /// A center of a class that the source names with its module, `Foundation.NotificationCenter`.
    case foundationCenter
    /// The center between processes.
    case distributedCenter
    /// The center of `NSWorkspace`, which Linux does not have.
    case workspaceCenter
    /// An instance of a type of the module.
    case instance(TypeInfo)
    /// A type of the module itself.
    case metatype(TypeInfo)
    case optional(ValueType)
    case unknown

    /// The value without the optional around it.
    var unwrapped: ValueType {
        if case .optional(let value) = self { return value.unwrapped }
        return self
    }
    /// The value as an optional, unless nothing is known about it.
    var asOptional: ValueType {
        if case .unknown = self { return .unknown }
        if case .optional = self { return self }
        return .optional(self)
    }
    var isUnknown: Bool {
        if case .unknown = unwrapped { return true }
        return false
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard

extension AnyHashable {
    /// A value that any thread may hash and compare.
    ///
    /// Nil if `value` isn't `Hashable`, or only by a conformance that is isolated to a global actor,
    /// such as `@MainActor Hashable`. `value as? AnyHashable` would find that conformance on every
    /// thread, and have code of the main actor run elsewhere.
    init?<Value>(onAnyThread value: Value) {
        guard let hashable = Self.unisolated(value) else { return nil }
        self = AnyHashable(hashable)
        // One that came as `AnyHashable` may hide such a conformance.
        if type(of: hashable) == AnyHashable.self, Self.unisolated(base) == nil { return nil }
    }

    private static func unisolated<Value>(_ value: Value) -> (any Hashable)? {
        withUnsafeTemporaryAllocation(of: (any Hashable).self, capacity: 1) { room in
            guard let place = room.baseAddress else { return nil }
            let isHashable = withUnsafePointer(to: value) { value in
                switchyard_cast_unisolated(
                    place, value, unsafeBitCast(Value.self as Any.Type, to: UnsafeRawPointer.self),
                    unsafeBitCast((any Hashable).self as Any.Type, to: UnsafeRawPointer.self))
            }
            // The cast has initialised the place, if it succeeded.
            return isHashable ? place.move() : nil
        }
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard

extension AnyHashable {
    /// A value that any thread may hash and compare.
    ///
    /// Nil if `value` isn't `Hashable`, or only by a conformance that is isolated to a global
    /// actor, such as `@MainActor Hashable`. `value as? AnyHashable` would find that conformance on
    /// every thread, and have code of the main actor run elsewhere. Nil as well for sets,
    /// dictionaries and arrays that hold such a value.
    init?<Value>(onAnyThread value: Value) {
        guard let hashable = Self.unisolated(value) else { return nil }
        // The order matters: the cast wraps any other value, and wrapping a set hashes its
        // elements.
        guard type(of: hashable) == AnyHashable.self, let boxed = hashable as? AnyHashable else {
            guard Self.hasFreeParts(hashable) else { return nil }
            self = AnyHashable(hashable)
            return
        }
        // The box may hide a conformance that belongs to a global actor.
        guard let base = Self.unisolated(boxed.base), Self.hasFreeParts(base) else { return nil }
        self = boxed
    }

    private static func hasFreeParts(_ value: any Hashable) -> Bool {
        (value as? any HashableParts)?.areHashableOnAnyThread ?? true
    }

    private static func unisolated<Value>(_ value: Value) -> (any Hashable)? {
        withUnsafeTemporaryAllocation(of: (any Hashable).self, capacity: 1) { room in
            guard let place = room.baseAddress else { return nil }
            let isHashable = withUnsafePointer(to: value) { value in
                switchyard_cast_unisolated(
                    place, value, unsafeBitCast(Value.self as Any.Type, to: UnsafeRawPointer.self),
                    unsafeBitCast((any Hashable).self as Any.Type, to: UnsafeRawPointer.self))
            }
            // The cast has initialised the memory, if it succeeded.
            return isHashable ? place.move() : nil
        }
    }
}

/// A collection, or an optional, that is hashed and compared by its elements. `Set` and
/// `Dictionary` demand `Hashable` of them, so that the collection's own conformance does not tell
/// whether an element's is isolated.
private protocol HashableParts {
    /// Whether any thread may hash and compare the elements.
    var areHashableOnAnyThread: Bool { get }
}

extension Sequence {
    fileprivate var areElementsHashableOnAnyThread: Bool {
        // Elements of one type that has no elements of its own have one conformance.
        let isFirstEnough =
            Element.self != AnyHashable.self && !(Element.self is any HashableParts.Type)
        for element in self {
            if AnyHashable(onAnyThread: element) == nil { return false }
            if isFirstEnough { return true }
        }
        return true
    }
}

extension Set: HashableParts {
    fileprivate var areHashableOnAnyThread: Bool { areElementsHashableOnAnyThread }
}

extension Array: HashableParts {
    fileprivate var areHashableOnAnyThread: Bool { areElementsHashableOnAnyThread }
}

extension Dictionary: HashableParts {
    fileprivate var areHashableOnAnyThread: Bool {
        keys.areElementsHashableOnAnyThread && values.areElementsHashableOnAnyThread
    }
}

extension Optional: HashableParts {
    fileprivate var areHashableOnAnyThread: Bool {
        map { AnyHashable(onAnyThread: $0) != nil } ?? true
    }
}

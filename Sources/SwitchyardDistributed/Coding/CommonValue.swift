// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A value of one of the types that are sent most often, found by the identity of its type.
///
/// Dynamic casts would find these types too, but take ten times as long: they consider bridging,
/// optionals and subclasses. And a generic function that converts a value to `Any`, when that value
/// is an `Any` already, allocates a box for it.
enum CommonValue {
    case string(String)
    case int(Int)
    case double(Double)
    case bool(Bool)
    case array([Any])
    case dictionary([String: Any])
    /// A value of another type.
    case other(Any)

    init<Value>(_ value: Value) {
        self =
            if Value.self == Any.self {
                _openExistential(taken(value, as: Any.self), do: makeCommonValue)
            } else {
                makeCommonValue(value)
            }
    }
}

/// Classifies a value by type. Not a method, because the compiler can't open an existential for
/// one.
///
/// - Parameter value: The value inside an `Any`, not the `Any`.
private func makeCommonValue<Value>(_ value: Value) -> CommonValue {
    switch ObjectIdentifier(Value.self) {
    case ObjectIdentifier(String.self): .string(taken(value, as: String.self))
    case ObjectIdentifier(Int.self): .int(taken(value, as: Int.self))
    case ObjectIdentifier(Double.self): .double(taken(value, as: Double.self))
    case ObjectIdentifier(Bool.self): .bool(taken(value, as: Bool.self))
    case ObjectIdentifier([Any].self): .array(taken(value, as: [Any].self))
    case ObjectIdentifier([String: Any].self): .dictionary(taken(value, as: [String: Any].self))
    default: .other(value)
    }
}

/// Returns the value as its own type.
///
/// - Parameter type: `Value` itself. The caller knows that, the compiler does not.
@inline(__always)
func taken<Value, Taken>(_ value: Value, as type: Taken.Type) -> Taken {
    // The pointer is to a Value, and Value is Taken: the memory is bound to Taken.
    withUnsafePointer(to: value) {
        UnsafeRawPointer($0).assumingMemoryBound(to: Taken.self).pointee
    }
}

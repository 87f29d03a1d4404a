// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A value of one of the types that are most often sent, found by the identity of its type.
///
/// Dynamic casts would find them too, at ten times the price: they consider bridging, optionals and
/// subclasses, and a generic function that makes an `Any` of a value which is an `Any` already
/// allocates a box for it.
enum CommonValue {
    case string(String)
    case int(Int)
    case double(Double)
    case bool(Bool)
    case array([Any])
    case dictionary([String: Any])
    /// Any other.
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

/// Not a method: the compiler can't open an existential for one.
///
/// - Parameter value: what is in an `Any`, not the `Any`.
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

/// The value as what it is.
///
/// - Parameter type: the same type as `Value`, which only the caller knows.
@inline(__always)
func taken<Value, Taken>(_ value: Value, as type: Taken.Type) -> Taken {
    // The pointer is to a Value, and Value is Taken: the memory is bound to it.
    withUnsafePointer(to: value) {
        UnsafeRawPointer($0).assumingMemoryBound(to: Taken.self).pointee
    }
}

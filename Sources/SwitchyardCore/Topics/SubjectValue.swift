// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A value that a notification is about, behind one pointer, so that the plain kinds of subjects
/// are moved around at no cost.
///
/// Two values are equal here if they are equal as `AnyHashable`. Strings and integers, the most
/// common subjects, are compared directly: making, hashing and comparing an `AnyHashable` takes
/// five times as long.
final class SubjectValue: @unchecked Sendable {
    // Sendable: constant; only `==` is used, by whoever registers or posts.

    private enum Content {
        case string(String)
        case integer(Int)
        case other(AnyHashable)
    }

    private let content: Content
    /// The hash, which is equal for equal values.
    let hash: UInt

    init(_ string: String) {
        content = .string(string)
        hash = Hash.of(string)
    }

    init(_ integer: Int) {
        content = .integer(integer)
        hash = Self.hash(integer)
    }

    init(_ value: AnyHashable) {
        content = .other(value)
        if let string = value.base as? String {
            hash = Hash.of(string)
        } else {
            hash = Self.integer(value.base).map(Self.hash) ?? UInt(bitPattern: value.hashValue)
        }
    }

    /// The value for people. Somebody may ask on any thread, long after the registration, so no
    /// code of the user's is called that could read an object: a value with references inside is
    /// named by its type.
    var shown: String {
        switch content {
        case .string(let string): string
        case .integer(let integer): "\(integer)"
        case .other(let value):
            if let value = value.base as? any Hashable { Self.shown(value) } else { "?" }
        }
    }

    private static func shown<Value: Hashable>(_ value: Value) -> String {
        if let string = value as? String { return string }
        let type = String(reflecting: Value.self)
        let isFoundations = type.hasPrefix("Foundation.") || type.hasPrefix("FoundationEssentials.")
        return _isPOD(Value.self) || isFoundations ? "\(value)" : "of type \(Value.self)"
    }

    private static func hash(_ integer: Int) -> UInt { Hash.mix(UInt(bitPattern: integer)) }

    /// Returns the integer that equals a number of any type; nil if there is none. `AnyHashable`
    /// holds the two equal.
    private static func integer(_ number: Any) -> Int? {
        switch number {
        case let number as any BinaryInteger: Int(exactly: number)
        case let number as any BinaryFloatingPoint: Int(exactly: number)
        default: nil
        }
    }

    var hashable: AnyHashable {
        switch content {
        case .string(let string): AnyHashable(string)
        case .integer(let integer): AnyHashable(integer)
        case .other(let value): value
        }
    }

    /// The value as a string; nil if it is none.
    var string: String? {
        switch content {
        case .string(let string): string
        case .integer: nil
        // The cast alone would take a string out of an optional.
        case .other(let value):
            type(of: value.base) == Optional<String>.self ? nil : value.base as? String
        }
    }

    static func == (left: SubjectValue, right: SubjectValue) -> Bool {
        switch (left.content, right.content) {
        case (.string(let left), .string(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.string, .integer), (.integer, .string): false
        default: left.hashable == right.hashable
        }
    }
}

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

    /// The value for people, without a call of code of the user's: a value that may have more
    /// inside than a number or a text is named by its type and its hash.
    var shown: String {
        switch content {
        case .string(let string): return string
        case .integer(let integer): return "\(integer)"
        case .other(let value):
            if Self.isPlain(value.base) { return "\(value.base)" }
            let hash = String(hash & 0xFF_FFFF, radix: 16)
            return "of type \(type(of: value.base)) (hash \(hash))"
        }
    }

    private static func isPlain(_ value: Any) -> Bool {
        let type = String(reflecting: type(of: value))
        if plainTypes.contains(type) { return true }
        let isCustom =
            value is any CustomStringConvertible || value is any CustomDebugStringConvertible
            || value is any CustomReflectable || value is any TextOutputStreamable
        guard !isCustom, let value = value as? any Hashable, isTrivial(value) else { return false }
        // The case of an enumeration has a name. Fields of a structure may be unsafe references.
        let mirror = Mirror(reflecting: value)
        return mirror.displayStyle == .enum && mirror.children.isEmpty
    }

    private static func isTrivial<Value: Hashable>(_ value: Value) -> Bool { _isPOD(Value.self) }

    /// The types whose descriptions show a number or a text, and nothing else.
    private static let plainTypes: Set<String> = {
        let standard = [
            "String", "Substring", "Character", "Bool", "Double", "Float", "Int", "Int8", "Int16",
            "Int32", "Int64", "Int128", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "UInt128",
        ]
        let foundation = ["URL", "UUID", "Date", "Data"]
        return Set(
            standard.map { "Swift.\($0)" } + foundation.map { "Foundation.\($0)" }
                + foundation.map { "FoundationEssentials.\($0)" })
    }()

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

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
internal import Switchyard
public import SwitchyardCore

/// A value could not be sent, archived or read again.
public struct PropertyListError: SwitchyardError, LocalizedError {
    /// The reason of an error. More may come: have a `default` where you switch over it.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// A value is of a type that property lists can't hold.
        public static let unsupportedValue = Code(description: "unsupportedValue")
        /// A dictionary's key is no string.
        public static let keyIsNoString = Code(description: "keyIsNoString")
        /// A dictionary has two keys that are the same string.
        public static let duplicateKey = Code(description: "duplicateKey")
        /// Arrays and dictionaries are nested more than 64 deep.
        public static let tooDeep = Code(description: "tooDeep")
        /// The bytes are more than may be sent, or a count is too large to write.
        public static let tooLarge = Code(description: "tooLarge")
        /// Bytes are damaged, or were not written by Switchyard.
        public static let malformed = Code(description: "malformed")
        /// Bytes were written by a later version of Switchyard.
        public static let unknownVersion = Code(description: "unknownVersion")
    }

    /// The reason of the error.
    public let code: Code
    /// The key path of the value in question, such as `userInfo["window"]["owner"]`; empty when
    /// reading.
    public private(set) var path: String
    private let reason: String

    /// The problem, its key path, and what can be done.
    public var description: String { path.isEmpty ? reason : "\(path) \(reason)" }

    init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
        path = ""
    }
}

// The path is built while the error passes up through the containers, so it costs nothing unless
// there is an error.
extension PropertyListError {
    func inside(name: String) -> PropertyListError { inside(step: name) }
    func inside(index: Int) -> PropertyListError { inside(step: "[\(index)]") }
    func inside(key: String) -> PropertyListError { inside(step: "[\(Self.excerpt(key))]") }

    private func inside(step: String) -> PropertyListError {
        var error = self
        error.path = step + path
        return error
    }

    /// Returns a key in quotes, cut off if it is long.
    private static func excerpt(_ key: String) -> String {
        let limit = 80
        return key.count <= limit ? key.debugDescription : "\(key.prefix(limit))…".debugDescription
    }
}

extension PropertyListError {
    static func unsupportedValue(_ value: Any) -> PropertyListError {
        PropertyListError(
            .unsupportedValue,
            "is \(aValue(of: type(of: value))), which is no property-list value: "
                + PropertyListAdvice.advice(for: value))
    }

    static var isNil: PropertyListError {
        PropertyListError(
            .unsupportedValue, "is nil, for which property lists have no value: leave it out")
    }

    static func keyIsNoString(_ key: Any) -> PropertyListError {
        let text = String(String(describing: key).prefix(80))
        return PropertyListError(
            .keyIsNoString,
            "has the key \(text), \(aValue(of: type(of: key))), but the keys of property lists are "
                + "strings: make it a String")
    }

    static func duplicateKey(_ key: String) -> PropertyListError {
        PropertyListError(
            .duplicateKey,
            "has the key \(excerpt(key)) twice, as a String and as an NSString: leave one out")
    }

    static var tooDeep: PropertyListError {
        PropertyListError(
            .tooDeep,
            "stands inside \(PropertyListCoding.maximumDepth) arrays and dictionaries, as many as "
                + "there may be: flatten them, or look for one that contains itself")
    }

    static func tooLarge(limit: Int) -> PropertyListError {
        PropertyListError(
            .tooLarge,
            "makes it longer than the \(limit) bytes that are allowed: leave something out, or say "
                + "where it can be read")
    }

    static func tooMany(_ count: Int) -> PropertyListError {
        PropertyListError(
            .tooLarge,
            "has a count of \(count), and at most \(UInt32.max) can be written: divide it")
    }

    /// Returns the type's name with its article: a Controller, an Array, an NSNull, a URL.
    private static func aValue(of type: Any.Type) -> String {
        let name = "\(type)"
        let isSpelled = name.prefix(2).count == 2 && name.prefix(2).allSatisfy(\.isUppercase)
        let vowels = isSpelled ? "AEFHILMNORSX" : "AEIOU"
        return (name.first.map(vowels.contains) == true ? "an " : "a ") + name
    }
}

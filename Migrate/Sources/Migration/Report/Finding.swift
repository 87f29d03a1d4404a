// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// Something that a migration did, or left, at one place of a source.
public struct Finding: Hashable, Sendable, Codable {
    /// What became of the place.
    public enum Kind: String, Sendable, Codable {
        /// The place was changed.
        case changed
        /// The place needs a person: it was left as it is.
        case left
        /// The place was left as it is, and needs nobody.
        case note
    }

    /// The subject of a finding. Programs that read the report can rely on these names.
    public enum Code: String, Sendable, Codable, CaseIterable {
        // swift-format-ignore
        /// A selector of an observer; a name of a class that is imported; and so on.
        case selector, observe, objc, imports, combine, distributed
        /// What hinders a selector from becoming a method.
        case selectorString, selectorVariable, selectorUnknown, selectorAmbiguous
        /// The method's signature or place.
        case methodSignature, methodOutside, methodIsolation, methodStatic
        /// The observer, the center, and the name.
        case observerUnknown, observerNotSendable, centerUnknown, centerOutside, centerMember, nameApple
        /// The form of a call, or its place.
        case callForm, unrelatedSelector
        /// Files.
        case syntaxError, encoding, appleFile, appleBranch, coupled, ownNotificationType
        /// Tests, C, and the manifest.
        case expectation, coreFoundation, manifest
    }

    /// The path of the file, from the folder that was named.
    public var file: String
    /// The line, from one.
    public var line: Int
    /// The column, from one, in UTF-8 bytes.
    public var column: Int
    /// What became of it.
    public var kind: Kind
    /// Its subject.
    public var code: Code
    /// What is there, and what to do, in plain words.
    public var message: String
}

extension Finding: Comparable {
    /// By file, then line, column and subject.
    public static func < (first: Finding, second: Finding) -> Bool {
        (first.file, first.line, first.column, first.code.rawValue)
            < (second.file, second.line, second.column, second.code.rawValue)
    }
}

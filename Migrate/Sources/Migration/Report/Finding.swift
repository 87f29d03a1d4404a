// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A place of a source that a migration changed or left.
public struct Finding: Hashable, Sendable, Codable {
    /// The outcome for the place.
    public enum Kind: String, Sendable, Codable {
        /// The place was changed.
        case changed
        /// The place needs a person: it was left as it is.
        case left
        /// The place was left as it is, and needs no person.
        case note
    }

    /// The subject of a finding. Programs that read the report can rely on these names.
    public enum Code: String, Sendable, Codable, CaseIterable {
        // Changes.

        /// A selector that became a method, in the same call or in `observe`.
        case selector, observe
        /// The attribute `@objc`.
        case objc
        /// Imports of Switchyard, and of OpenCombine.
        case imports, combine
        /// A statement at the start of a program that lets Foundation's center hear Switchyard's
        /// posts.
        case posts
        /// An addition that a manifest needs.
        case manifest

        // Reasons for which a selector stayed.

        /// A string, a variable, a method that was not found, or several that were.
        case selectorString, selectorVariable, selectorUnknown, selectorAmbiguous
        /// A method with other parameters, of another module, of another actor, or static.
        case methodSignature, methodOutside, methodIsolation, methodStatic
        /// An observer whose class is not known, or can't go to other threads.
        case observerUnknown, observerNotSendable
        /// A name that Apple's systems alone have.
        case nameApple
        /// A call with other arguments, or at a place where it can't be changed.
        case callForm
        /// A selector that is not an observer's.
        case unrelatedSelector

        // Reasons for which a center or a file stayed.

        /// A value that may or may not be a center.
        case centerUnknown
        /// A center that is Foundation's, or one that another module gets.
        case centerOutside
        /// The center of `NSWorkspace`, or of Apple's `DistributedNotificationCenter`: another than
        /// the one that moves.
        case otherCenter
        /// A member that Switchyard's center does not have.
        case centerMember
        /// A file with a syntax error, or not in UTF-8.
        case syntaxError, encoding
        /// A file, or a branch of `#if`, for Apple's systems alone.
        case appleFile, appleBranch
        /// A file that gives centers to files which keep Foundation's.
        case coupled

        // Code that waits or posts elsewhere.

        /// A test that waits on Foundation's center.
        case expectation
        /// A function of Core Foundation's centers.
        case coreFoundation
    }

    /// The path of the file, from the folder that was named.
    public var file: String
    /// The line, from one.
    public var line: Int
    /// The column, from one, in UTF-8 bytes.
    public var column: Int
    /// The outcome for the place.
    public var kind: Kind
    /// The subject of the finding.
    public var code: Code
    /// The code at the place, and the thing to do, in plain words.
    public var message: String

    /// A finding at a place.
    public init(
        file: String, line: Int, column: Int, kind: Kind, code: Code, message: String
    ) {
        self.file = file
        self.line = line
        self.column = column
        self.kind = kind
        self.code = code
        self.message = message
    }
}

extension Finding: Comparable {
    /// Orders findings by file, then line, column and subject.
    public static func < (first: Finding, second: Finding) -> Bool {
        (first.file, first.line, first.column, first.code.rawValue)
            < (second.file, second.line, second.column, second.code.rawValue)
    }
}

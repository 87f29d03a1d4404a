// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// An error of Switchyard: a code for programs, a message for people, and the error behind it.
///
/// ```swift
/// do {
///     try center.postAndWait(Save(), timeout: .seconds(5))
/// } catch {
///     switch error.code {
///     case .timedOut: retry()
///     default: print(error)      // The message says what happened, and what can be done.
///     }
/// }
/// ```
public protocol SwitchyardError: Error, CustomStringConvertible {
    /// The reasons of an error of this type. More may come: have a `default` where you switch over
    /// them.
    associatedtype Code: Sendable, Hashable, CustomStringConvertible

    /// The reason of the error.
    var code: Code { get }

    /// The error that led to this one; nil if there is none.
    var cause: (any Error)? { get }
}

extension SwitchyardError {
    /// Nil: the error has no other behind it.
    public var cause: (any Error)? { nil }
}

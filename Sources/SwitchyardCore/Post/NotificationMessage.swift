// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A notification that is a value of a type of its own.
///
/// ```swift
/// struct ConverterAdded: NotificationMessage {
///     typealias Subject = Converter      // leave it out when messages are about nothing in particular
///     var format: String
/// }
/// ```
/// Observers of the type get the value itself: nothing is looked up in a dictionary or cast.
public protocol NotificationMessage: Sendable {
    /// The type of a message's subject: an instance is matched by identity, any other value by
    /// equality. `Never`, unless said otherwise: then messages are posted without a subject. The nil
    /// of an optional type is no subject: a message about it is about nothing, and an observer of it
    /// hears messages about everything.
    ///
    /// A value's `==` and `hash(into:)` are called by all threads that post or register, which
    /// Swift can't demand here without demanding it of instances too: make a value `Sendable`. Nor
    /// may the conformance belong to a global actor, as `@MainActor Hashable` does: nothing equals
    /// such a value, so that posts about it reach observers of any subject alone, and observing it
    /// traps. In a module whose default isolation is the main actor, declare the type
    /// `nonisolated`.
    associatedtype Subject = Never

    /// The carrier of messages of this type, a ``_MessageCarrier``; nil, the default, for messages
    /// that are matched by their type alone. Messages that also have a name bring a carrier of
    /// their own. Not for you to implement.
    static var _carrier: _AnyMessageCarrier? { get }
}

extension NotificationMessage {
    /// Nil: messages are matched by their type alone.
    @inlinable
    public static var _carrier: _AnyMessageCarrier? { nil }
}

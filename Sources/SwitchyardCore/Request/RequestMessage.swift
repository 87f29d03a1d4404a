// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A message that asks for answers.
///
/// ```swift
/// struct CanClose: RequestMessage {
///     typealias Subject = Document       // leave it out when requests are about nothing in particular
///     typealias Reply = Bool
/// }
///
/// let token = center.answer(CanClose.self, on: .main) { _ in !editor.hasChanges }
/// let canClose = try await center.request(CanClose(), .reduce(true) { $0 && $1 }, within: .seconds(5))
/// ```
/// A request stays in its process, unless it is a `DistributedRequest` that a distributed center is
/// asked.
///
/// To answer, register with `answer`. An observer (`observe`) hears no requests, nor can a request
/// be posted.
public protocol RequestMessage: Sendable {
    /// The type of an answer.
    associatedtype Reply: Sendable

    /// The type of a request's subject; see ``NotificationMessage/Subject``.
    associatedtype Subject = Never

    /// The name under which a request of this type goes to other processes; nil, the default, if it
    /// does not. Not for you to implement.
    static var _name: String? { get }
}

extension RequestMessage {
    /// Nil: the request stays in its process.
    @inlinable
    public static var _name: String? { nil }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The part of its messages that a ``MessageStream`` keeps for a consumer that is slower than the
/// posters.
public enum StreamBuffering: Sendable, Hashable {
    /// Keeps all messages.
    case unbounded
    /// Drops the oldest waiting message when more than `limit` wait.
    case dropOldest(above: Int)
    /// Drops the new message when `limit` wait already.
    case dropNewest(above: Int)
}

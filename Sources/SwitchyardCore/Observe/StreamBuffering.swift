// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The part of its messages that a ``MessageStream`` keeps for a consumer that is slower than the
/// posters.
public enum StreamBuffering: Sendable, Hashable {
    /// Keeps all messages.
    case unbounded
    /// Drops the oldest waiting message when more than this many wait. A number below 1 counts as
    /// 1.
    case dropOldest(above: Int)
    /// Drops the new message when this many wait already. A number below 1 counts as 1.
    case dropNewest(above: Int)
}

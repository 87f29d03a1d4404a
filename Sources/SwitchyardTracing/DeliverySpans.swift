// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Tracing
/// The posts and handlers for which a center makes spans.
public enum DeliverySpans: Sendable, Hashable {
    /// No spans: handlers get the context of the posting task, and that is all.
    case none
    /// Spans of posts that go to other processes, and of the handlers there. In one process none.
    case betweenProcesses
    /// Spans of all posts that somebody observes, and of all their handlers.
    case everywhere
}
#endif

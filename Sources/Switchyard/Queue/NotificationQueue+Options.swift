// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension NotificationQueue {
    /// When a queue posts.
    public enum PostingStyle: UInt, Sendable {
        /// When the run loop is about to wait, because it has nothing else to do.
        case whenIdle = 1
        /// At the end of the run loop's current callout: of the timer or source that it is serving.
        case asap = 2
        /// At once, on the calling thread.
        case now = 3
    }

    /// What notifications that wait have in common with a new one when they give way to it.
    public struct NotificationCoalescing: OptionSet, Sendable {
        /// Apple's value.
        public let rawValue: UInt

        /// The options of Apple's value.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Nothing gives way.
        public static let none = NotificationCoalescing([])
        /// The name; of typed messages, the type.
        public static let onName = NotificationCoalescing(rawValue: 1 << 0)
        /// The object, or the subject of a typed message: an instance by identity, another hashable
        /// value by equality, and none equals none.
        public static let onSender = NotificationCoalescing(rawValue: 1 << 1)
    }

    /// Which of the notifications that coalescing holds equal is posted.
    public enum Kept: Sendable {
        /// The last to be enqueued, with its style, its modes and its place; as Apple's queue does.
        case latest
        /// The first, where and as it waits: what comes later and matches it is not enqueued.
        case first
    }
}

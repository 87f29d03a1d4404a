// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension NotificationQueue {
    /// When a queue posts.
    public enum PostingStyle: UInt, Sendable {
        /// When the run loop is about to wait, because it has nothing else to do.
        case whenIdle = 1
        /// Soon, before the run loop waits again: after the timer, source or block that it is
        /// serving.
        ///
        /// A run loop calls all timers that are due in one go, and so all blocks that it was given,
        /// and all sources: an entry that one of these enqueues is posted after the others of its
        /// kind. The next pass serves what became due meanwhile, after that.
        case asap = 2
        /// The queue posts at once, on the calling thread.
        case now = 3
    }

    /// The properties that a waiting notification must share with a new one to be replaced by it.
    public struct NotificationCoalescing: OptionSet, Sendable {
        /// Apple's value.
        public let rawValue: UInt

        /// The options of Apple's value.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// No notification is replaced.
        public static let none = NotificationCoalescing([])
        /// The name; of typed messages, the type.
        public static let onName = NotificationCoalescing(rawValue: 1 << 0)
        /// The object, or the subject of a typed message: an instance by identity, another hashable
        /// value by equality, and none equals none.
        public static let onSender = NotificationCoalescing(rawValue: 1 << 1)
    }

    /// The choice among notifications that coalescing holds equal.
    public enum Kept: Sendable {
        /// The last to be enqueued, with its style, its modes and its position; as Apple's queue
        /// does.
        case latest
        /// The first entry stays as it waits: a later one that matches it is not enqueued.
        case first
    }
}

extension NotificationQueue.NotificationCoalescing {
    /// The properties that a key compares.
    @inline(__always)
    var keyParts: CoalescingKey.Parts {
        switch rawValue & 3 {
        case 3: .nameAndSender
        case 2: .sender
        case 1: .name
        default: .nothing
        }
    }
}

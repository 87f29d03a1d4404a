// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Switchyard

extension NotificationRecorder {
    /// One notification or message, where it came.
    public struct Entry: @unchecked Sendable, CustomStringConvertible {
        // Sendable: constant. Messages are Sendable; notifications are as unchecked as any that
        // cross threads; `Thread` may be used from any thread.

        enum Content {
            case notification(Notification)
            case message(any NotificationMessage)
        }

        private let content: Content
        /// The thread on which it was noted: the posting thread, or that of the recorder's context.
        public let thread: Thread
        /// That thread's name, as debuggers show it. Only that of a `DeliveryThread` can be relied
        /// on: on Linux, a name given to a `Thread` before it starts is not the thread's.
        public let threadName: String

        init(_ content: Content) {
            self.content = content
            thread = .current
            threadName = ThreadName.current
        }

        /// The notification; nil when it was a typed message. One that was posted from its object's
        /// `deinit` has no object.
        public var notification: Notification? {
            if case .notification(let notification) = content { notification } else { nil }
        }

        /// The typed message; nil when it was a notification.
        public var message: (any NotificationMessage)? {
            if case .message(let message) = content { message } else { nil }
        }

        /// What it was, and the thread's name.
        public var description: String {
            switch content {
            case .notification(let notification): "\(notification.inWords) on \(threadName)"
            case .message(let message): "\(message) on \(threadName)"
            }
        }
    }
}

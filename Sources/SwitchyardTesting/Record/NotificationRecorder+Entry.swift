// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Switchyard

extension NotificationRecorder {
    /// One recorded notification or message, with the thread on which it came.
    public struct Entry: @unchecked Sendable, CustomStringConvertible {
        // Sendable: all properties are constant. Messages are Sendable; notifications cross threads
        // unchecked, as everywhere; `Thread` may be used from any thread.

        enum Content {
            case notification(Notification)
            case message(any NotificationMessage)
        }

        private let content: Content
        /// The thread that recorded the entry: the posting thread, or a thread of the recorder's
        /// context.
        public let thread: Thread
        /// The name of `thread`, as debuggers show it. Only a `DeliveryThread` reliably has one: on
        /// Linux, a name given to a `Thread` before it starts does not become the thread's name.
        public let threadName: String

        init(_ content: Content) {
            self.content = content
            thread = .current
            threadName = ThreadName.current
        }

        /// The notification; nil when the entry is a typed message. A notification that was posted
        /// from its object's `deinit` has no object.
        public var notification: Notification? {
            if case .notification(let notification) = content { notification } else { nil }
        }

        /// The typed message; nil when the entry is a notification.
        public var message: (any NotificationMessage)? {
            if case .message(let message) = content { message } else { nil }
        }

        /// The notification or message, and the thread's name.
        public var description: String {
            switch content {
            case .notification(let notification): "\(notification.inWords) on \(threadName)"
            case .message(let message): "\(message) on \(threadName)"
            }
        }
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// Where a handler runs.
///
/// `SwitchyardCore` knows the posting thread and mailboxes. `Switchyard` adds threads, run loops and
/// queues, and a module of yours can add its own (see ``MailboxTarget``).
public struct DeliveryContext: Sendable {
    /// The mailbox through which deliveries go; nil for the posting thread.
    public let mailbox: SharedMailbox?

    /// Whether the center says where.
    let isCentersChoice: Bool

    @usableFromInline
    init(mailbox: SharedMailbox?, isCentersChoice: Bool = false) {
        self.mailbox = mailbox
        self.isCentersChoice = isCentersChoice
    }

    /// Where the center delivers unless it is told: on the posting thread, as ``poster``, unless the
    /// center's documentation says otherwise.
    @inlinable
    public static var standard: DeliveryContext {
        DeliveryContext(mailbox: nil, isCentersChoice: true)
    }

    /// The posting thread: the handler has run before the post returns, and two threads that post
    /// at once call it at once.
    @inlinable
    public static var poster: DeliveryContext { DeliveryContext(mailbox: nil) }

    /// Where `mailbox` is drained, in the order of posting.
    public static func mailbox(_ mailbox: SharedMailbox) -> DeliveryContext {
        DeliveryContext(mailbox: mailbox)
    }

    /// Where `mailbox` is drained by who made it, in the order of posting.
    public static func mailbox(_ mailbox: DeliveryMailbox) -> DeliveryContext {
        DeliveryContext(mailbox: mailbox.shared)
    }
}

extension NotificationEngine {
    /// The mailbox of a context; nil for the posting thread.
    package func mailbox(of context: DeliveryContext) -> SharedMailbox? {
        context.isCentersChoice ? defaults.mailbox : context.mailbox
    }
}

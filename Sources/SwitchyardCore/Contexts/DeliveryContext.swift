// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A context for handlers: the thread, queue, loop or actor on which they run.
///
/// `SwitchyardCore` knows the posting thread and mailboxes. `Switchyard` adds threads, run loops
/// and queues, and a module of yours can add its own (see ``MailboxTarget``).
public struct DeliveryContext: Sendable {
    /// The mailbox through which deliveries go; nil for the posting thread.
    public let mailbox: SharedMailbox?

    /// Whether the center chooses the context: the observer named none.
    let isCentersChoice: Bool

    @usableFromInline
    init(mailbox: SharedMailbox?, isCentersChoice: Bool = false) {
        self.mailbox = mailbox
        self.isCentersChoice = isCentersChoice
    }

    /// The context of the center: on the posting thread, as ``poster``, unless the
    /// center's documentation says otherwise.
    @inlinable
    public static var standard: DeliveryContext {
        DeliveryContext(mailbox: nil, isCentersChoice: true)
    }

    /// The posting thread: the handler has run before the post returns, and two threads that post
    /// at once call it at once.
    @inlinable
    public static var poster: DeliveryContext { DeliveryContext(mailbox: nil) }

    /// Delivers through `mailbox`, in the order of posting.
    public static func mailbox(_ mailbox: SharedMailbox) -> DeliveryContext {
        DeliveryContext(mailbox: mailbox)
    }

    /// Delivers through `mailbox`, which its maker drains, in the order of posting.
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

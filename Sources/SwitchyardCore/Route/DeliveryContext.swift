// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// Where a handler runs.
///
/// `SwitchyardCore` knows the posting thread and mailboxes. `Switchyard` adds threads, run loops and
/// queues, and a module of yours can add its own (see ``MailboxTarget``).
public struct DeliveryContext: Sendable {
    /// The mailbox through which deliveries go; nil for the posting thread.
    public let mailbox: DeliveryMailbox?

    @usableFromInline
    init(mailbox: DeliveryMailbox?) { self.mailbox = mailbox }

    /// The posting thread: the handler has run before the post returns, and two threads that post
    /// at once call it at once.
    @inlinable
    public static var poster: DeliveryContext { DeliveryContext(mailbox: nil) }

    /// Where `mailbox` is drained, in the order of posting.
    public static func mailbox(_ mailbox: DeliveryMailbox) -> DeliveryContext {
        DeliveryContext(mailbox: mailbox)
    }
}

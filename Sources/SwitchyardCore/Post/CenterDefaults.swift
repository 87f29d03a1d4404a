// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The defaults of a center: where and how it delivers when a registration does not say.
package struct CenterDefaults: Sendable {
    /// The mailbox for handlers whose registration names no context; nil for the posting thread.
    package var mailbox: SharedMailbox?
    /// Whether deliveries through a mailbox are queued also when they could be made inline.
    package var queuesAlways: Bool

    package init(mailbox: SharedMailbox? = nil, queuesAlways: Bool = false) {
        self.mailbox = mailbox
        self.queuesAlways = queuesAlways
    }
}

/// An object through which a center's named posts go before observers get them. The module
/// Switchyard subclasses it.
@_spi(Engine) open class PostInterceptor: @unchecked Sendable {
    // Sendable: nothing is stored here; a subclass answers for itself.

    /// For subclasses.
    public init() {}
}

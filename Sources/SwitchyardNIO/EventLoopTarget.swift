// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NIO
public import NIOCore
public import SwitchyardCore

/// An event loop as the target of a mailbox.
final class EventLoopTarget: MailboxTarget {
    static let directory = MailboxDirectory()

    private let loop: any EventLoop
    /// Made once: a loop describes itself in other words when it is asked on its own thread.
    let label: String
    /// What the loop keeps until it is shut down. It knows the mailbox, so it comes after that.
    private let end = Guarded<NIOScheduledCallback?>(nil)

    private init(_ loop: any EventLoop) {
        self.loop = loop
        label = "event loop \(loop)"
    }

    deinit { end.exchange(nil)?.cancel() }

    /// A mailbox that `loop` drains, and that ends with it.
    static func mailbox(for loop: any EventLoop) -> DeliveryMailbox {
        let target = EventLoopTarget(loop)
        let mailbox = DeliveryMailbox(target: target)
        // For a time that does not come: the loop keeps it for as long as it runs.
        let end = try? loop.scheduleCallback(at: .distantFuture, handler: LoopEnd(mailbox))
        _ = target.end.exchange(end)
        return mailbox
    }

    var isCurrent: Bool { loop.inEventLoop }

    func wake(_ mailbox: DeliveryMailbox) { loop.execute { mailbox.drain() } }
}

/// Closes a mailbox when the loop lets go of this: when it is shut down, or at once when that was
/// before. What it is given to execute from then on, it drops.
private final class LoopEnd: NIOScheduledCallbackHandler, @unchecked Sendable {
    // Sendable: a weak reference only goes from the object to nil.
    private weak let mailbox: DeliveryMailbox?

    init(_ mailbox: DeliveryMailbox) { self.mailbox = mailbox }

    deinit { mailbox?.close() }

    /// Its time does not come.
    func handleScheduledCallback(eventLoop: some EventLoop) {}
}

extension DeliveryContext {
    /// On `loop`, in the order of posting.
    ///
    /// ```swift
    /// let token = center.observe(ConfigurationChanged.self, on: .eventLoop(channel.eventLoop)) { … }
    /// ```
    /// A post made on the loop itself is delivered before it returns, when nothing else waits there;
    /// any other waits its turn. There is one mailbox for each loop, for all centers and observers.
    /// The registration keeps the loop alive, not its threads.
    ///
    /// When the loop is shut down, what waits is delivered or reported to the problem hook as
    /// undeliverable; later posts say so in their receipts. End the observations first if you can.
    /// SwiftNIO prints an error, or stops the program in its strict mode, when something is given to
    /// a loop that has ended, which can happen here for a post at the very moment of the end. An
    /// `EmbeddedEventLoop` counts as ended when `EmbeddedChannel.finish()` cancels what it has
    /// scheduled.
    public static func eventLoop(_ loop: any EventLoop) -> DeliveryContext {
        .mailbox(EventLoopTarget.directory.mailbox(of: loop) { EventLoopTarget.mailbox(for: loop) })
    }
}
#endif

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NIO
public import NIOCore
public import SwitchyardCore
internal import Synchronization

/// An event loop as the target of a mailbox.
final class EventLoopTarget: MailboxTarget {
    static let directory = MailboxDirectory()

    private let loop: any EventLoop
    /// What the loop drops when it is shut down. Guard: set once, before others see the target.
    private let end = Guarded<NIOScheduledCallback?>(nil)

    private init(_ loop: any EventLoop) { self.loop = loop }

    deinit { end.exchange(nil)?.cancel() }

    /// A mailbox that `loop` drains, and that ends with it.
    static func mailbox(for loop: any EventLoop) -> DeliveryMailbox {
        let target = EventLoopTarget(loop)
        let mailbox = DeliveryMailbox(target: target)
        // For a time that does not come: the loop keeps it until it is shut down, and drops it then.
        // A loop that is shut down already drops it now.
        let end = try? loop.scheduleCallback(at: .distantFuture, handler: LoopEnd(mailbox))
        _ = target.end.exchange(end)
        return mailbox
    }

    var label: String { "event loop \(loop)" }

    var isCurrent: Bool { loop.inEventLoop }

    func wake(_ mailbox: DeliveryMailbox) {
        let turn = Turn(mailbox)
        loop.execute { turn.take() }
    }
}

/// Closes a mailbox when the loop says that it ends, or lets go of this without a word, as it does
/// when it had ended before.
private final class LoopEnd: NIOScheduledCallbackHandler, Sendable {
    private let mailbox: WeakMailbox

    init(_ mailbox: DeliveryMailbox) { self.mailbox = WeakMailbox(mailbox) }

    deinit { mailbox.close() }

    func handleScheduledCallback(eventLoop: some EventLoop) {}

    func didCancelScheduledCallback(eventLoop: some EventLoop) { mailbox.close() }
}

/// Not kept: the loop holds this for as long as it lives.
private struct WeakMailbox: @unchecked Sendable {
    // Sendable: a weak reference only goes from the object to nil.
    private weak let mailbox: DeliveryMailbox?

    init(_ mailbox: DeliveryMailbox) { self.mailbox = mailbox }

    func close() { mailbox?.close() }
}

/// One wake-up. A loop that no longer runs drops what it is given to execute: then there is nobody
/// left to drain the mailbox.
private final class Turn: Sendable {
    private let mailbox: DeliveryMailbox
    private let isTaken = Atomic<Bool>(false)

    init(_ mailbox: DeliveryMailbox) { self.mailbox = mailbox }

    deinit {
        if !isTaken.load(ordering: .relaxed) { mailbox.close() }
    }

    func take() {
        isTaken.store(true, ordering: .relaxed)
        mailbox.drain()
    }
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

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NIO
public import NIOCore
public import SwitchyardCore

/// An event loop as the target of a mailbox.
final class EventLoopTarget: MailboxTarget {
    static let directory = MailboxDirectory()

    private let loop: any EventLoop
    /// The loop's name in reports.
    let label: String
    /// The scheduled callback that closes the mailbox when the loop is shut down. Set after `init`:
    /// the callback refers to the mailbox, which refers to this target.
    private let end = Guarded<NIOScheduledCallback?>(nil)
    /// The loop's thread, once something has run there; nil for a loop that may change threads,
    /// such as one for tests.
    private let ownThread = Guarded<ThreadIdentity?>(nil)

    private init(_ loop: any EventLoop) {
        self.loop = loop
        label = "event loop \(Self.name(of: loop))"
    }

    /// The name of a loop's thread, or the loop's description if that has none. A loop that has one
    /// describes itself in other words when asked on its own thread, with numbers that change from
    /// run to run.
    private static func name(of loop: any EventLoop) -> String {
        let description = "\(loop)"
        let parts = description.split(separator: "NIOThread(name = ", maxSplits: 1)
        guard parts.count == 2, let name = parts[1].split(separator: ")").first else {
            return description
        }
        return String(name)
    }

    deinit { end.exchange(nil)?.cancel() }

    /// Returns a new mailbox that `loop` drains, and that ends with the loop.
    static func mailbox(for loop: any EventLoop) -> SharedMailbox {
        let target = EventLoopTarget(loop)
        let mailbox = DeliveryMailbox(target: target).shared
        // `.distantFuture` never comes, so the loop holds the handler for as long as it runs.
        let end = try? loop.scheduleCallback(at: .distantFuture, handler: LoopEnd(mailbox))
        _ = target.end.exchange(end)
        // A loop that has ended takes no work.
        if end != nil { target.askForThread() }
        return mailbox
    }

    var isCurrent: Bool { loop.inEventLoop }

    var thread: ThreadIdentity? { ownThread.withLock { $0 } }

    func wake(_ mailbox: DeliveryMailbox) { loop.execute { mailbox.drain() } }

    /// Learns which thread the loop runs on, so that waits that would never end are found.
    private func askForThread() {
        // NIOPosix's loops alone have a thread for as long as they run. Their class is not public.
        guard "\(type(of: loop))" == "SelectableEventLoop" else { return }
        if loop.inEventLoop { return noteThread() }
        loop.execute { self.noteThread() }
    }

    private func noteThread() { _ = ownThread.exchange(.current) }
}

/// Closes a mailbox when the loop releases this handler: at the loop's shutdown, or at once if the
/// loop was shut down before. From then on the loop drops the work it is given.
private final class LoopEnd: NIOScheduledCallbackHandler, @unchecked Sendable {
    // Sendable: a weak reference only goes from the object to nil.
    private weak let mailbox: SharedMailbox?

    init(_ mailbox: SharedMailbox) { self.mailbox = mailbox }

    deinit { mailbox?.end() }

    /// Does nothing: the scheduled time never comes.
    func handleScheduledCallback(eventLoop: some EventLoop) {}
}

extension DeliveryContext {
    /// Delivers on `loop`, in the order of posting.
    ///
    /// ```swift
    /// let token = center.observe(ConfigurationChanged.self, on: .eventLoop(channel.eventLoop)) { … }
    /// ```
    /// A post made on the loop itself is delivered before it returns, when nothing else waits
    /// there; any other post waits its turn. Each loop has one mailbox, for all centers and
    /// observers. The registration keeps the loop object alive, but not the loop's threads.
    ///
    /// When the loop is shut down, waiting deliveries are made or reported to the problem hook as
    /// undeliverable; the receipts of later posts count theirs as undeliverable. End the
    /// observations first if you can. SwiftNIO prints an error, or stops the program in its strict
    /// mode, when something is given to a loop that has ended; a post at the very moment of the
    /// shutdown can cause this. An `EmbeddedEventLoop` counts as ended when
    /// `EmbeddedChannel.finish()` cancels its scheduled work.
    public static func eventLoop(_ loop: any EventLoop) -> DeliveryContext {
        .mailbox(EventLoopTarget.directory.mailbox(of: loop) { EventLoopTarget.mailbox(for: loop) })
    }
}
#endif

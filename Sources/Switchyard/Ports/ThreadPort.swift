// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
public import Foundation
internal import SwitchyardCore

/// A port for messages between the threads of a process: what `NSMachPort` is for on Apple's
/// systems.
///
/// One thread adds the port to its run loop and gives it a delegate; any thread sends, and the
/// delegate hears it on the run loop's thread. See Apple's pages on `Port` and on configuring
/// port-based input sources (*Threading Programming Guide*).
///
/// ```swift
/// let port = ThreadPort()
/// port.setDelegate(worker)                      // held weakly
/// RunLoop.current.add(port, forMode: .common)   // on the worker's thread
///
/// try port.send(id: 1212, components: [Data("hello".utf8)], replyTo: mine)   // on any thread
/// ```
///
/// Messages of one thread arrive in the order of sending, and none is dropped: they wait until the
/// loop runs in one of the port's modes and there is a delegate. A run loop that has a port runs
/// on. A loop takes at most the messages that waited when its turn began, so that it gets to its
/// timers too; a message that a delegate sends to its own port arrives in a later turn; a run loop
/// inside a delegate goes on with the messages that wait.
///
/// A port may be scheduled in several modes, and on several run loops: then whichever comes first
/// takes the messages, one loop at a time. Hash and equality are those of the instance, and a copy
/// is the port itself.
///
/// A run loop keeps its ports until they are removed or invalidated. A port that nothing keeps
/// becomes invalid as it is deallocated. A port becomes invalid, too, when the thread of its last
/// run loop ends. In both cases, the problem hook of the default center is told how many messages
/// waited. The end of the main thread, under `dispatchMain()` or an async `@main`, is not noticed:
/// a port on the main run loop stays valid, and messages to it wait without a report. Such programs
/// add their ports to other loops.
public final class ThreadPort: Port, @unchecked Sendable {
    // Sendable: everything that changes is in `state`, behind its lock.
    let state: Guarded<PortState>

    /// A port without a limit: sending never waits.
    public override convenience init() { self.init(capacity: nil) }

    /// A port with a limit, or without.
    ///
    /// - Parameter capacity: the number of messages that may wait; a send that finds so many waits
    ///   for room, until the date that it names. nil for no limit: then many waiting
    ///   messages are reported to the problem hook of the default center, first at 100,000. A
    ///   capacity of zero or less is a programmer's error, and traps.
    public init(capacity: Int?) {
        Misuse.unless(
            capacity ?? 1 > 0,
            "a port has room for one message at least, not for \(capacity ?? 1)")
        state = Guarded(PortState(capacity: capacity))
        super.init()
    }

    #if canImport(Darwin)
    /// Ports of threads are not archived.
    @available(*, unavailable)
    public required init?(coder: NSCoder) { nil }
    #endif

    deinit {
        guard let end = state.withLock({ $0.end() }) else { return }
        finish(end, because: "the last reference to a port went")
    }

    // MARK: - Validity

    /// Whether messages can be sent and received: until the port is invalidated.
    public override var isValid: Bool { state.withLock(\.isValid) }

    /// Ends the port, from any thread, any number of times.
    ///
    /// Messages that wait are let go, sends that wait for room fail, the port leaves its run loops,
    /// and `Port.didBecomeInvalidNotification` is posted, once, on the calling thread: on
    /// Foundation's default center, from which ``NotificationCenter/default`` hears it. When this
    /// comes with the port's deallocation, observers must not keep the notification.
    public override func invalidate() {
        if let end = state.withLock({ $0.end() }) { finish(end) }
    }

    // MARK: - The receiver

    /// Makes `anObject` the one that receives the messages, on the thread of the port's run loop.
    /// Sets the delegate, which is held weakly. Without one, messages wait.
    ///
    /// The compiler does not check that a delegate which is not `Sendable` stays on one thread,
    /// because `Port` declares this method for all ports: use such a delegate on the thread of that
    /// run loop only. The same holds for a class that conforms on an actor, as `@MainActor
    /// PortDelegate`: give it to a port on the main run loop only.
    public override func setDelegate(_ anObject: (any PortDelegate)?) {
        let new = PortReceiver(delegate: anObject)
        state.withLock { $0.setReceiver(new) }.wake()
    }

    /// The receiver of the messages; nil when it was not set, or has gone.
    public override func delegate() -> (any PortDelegate)? {
        state.withLock { PortReceiver(delegate: $0.delegate) }.delegate
    }

    /// The bytes that a sender would have to keep free at the beginning of each message: none.
    public override var reservedSpaceLength: Int { 0 }

    // MARK: - Sending

    /// Sends a message without an id, which arrives as 0; otherwise as
    /// ``send(before:msgid:components:from:reserved:)``.
    ///
    /// - Parameters:
    ///   - limitDate: until when to wait for room.
    ///   - components: the parts of the message.
    ///   - receivePort: the port for replies.
    ///   - headerSpaceReserved: ignored.
    /// - Returns: Whether it was sent.
    public override func send(
        before limitDate: Date, components: NSMutableArray?, from receivePort: Port?,
        reserved headerSpaceReserved: Int
    ) -> Bool {
        send(
            before: limitDate, msgid: 0, components: components, from: receivePort,
            reserved: headerSpaceReserved)
    }

    /// Sends a message to the port's delegate, from any thread.
    ///
    /// The array is copied, and so is data in it; other objects are handed over as they are,
    /// mutable ones too, and are as unchecked as all that threads share through Apple's interface.
    /// ``send(id:components:replyTo:before:)`` checks what it is given, and says why it failed.
    ///
    /// - Parameters:
    ///   - limitDate: until when to wait for room, when the port has a limit and is full. A date in
    ///     the past does not wait.
    ///   - msgID: the message's id, of which 32 bits arrive.
    ///   - components: the parts of the message: nil, or any number of objects, ports among them.
    ///   - receivePort: the port for replies: the receiver's `sendPort`.
    ///   - headerSpaceReserved: ignored, as there is no header.
    /// - Returns: Whether it was sent: false if there was no room in time, or the port is invalid.
    public override func send(
        before limitDate: Date, msgid msgID: Int, components: NSMutableArray?,
        from receivePort: Port?, reserved headerSpaceReserved: Int
    ) -> Bool {
        let mail = PortMail(
            id: UInt32(truncatingIfNeeded: msgID),
            components: components.map { $0.objectsThemselves.map(PortMail.component) },
            reply: PortMail.Reply(to: receivePort, over: self))
        do {
            try send(mail, before: limitDate)
            return true
        } catch {
            return false
        }
    }

    // MARK: - Run loops

    /// Has messages received on `runLoop` in `mode`. For run loops, which call it from
    /// `add(_:forMode:)`: use that, so that the loop keeps the port.
    ///
    /// On another thread's run loop messages wait until it has run in the mode. (The main run loop
    /// hears them at once.) A thread that ends before that is not noticed: Foundation's part of the
    /// loop keeps loop and port until the port is removed from it, or invalidated.
    ///
    /// - Parameters:
    ///   - runLoop: the loop on whose thread the delegate is called.
    ///   - mode: a mode in which the loop receives.
    public override func schedule(in runLoop: RunLoop, forMode mode: RunLoop.Mode) {
        if !enter(PortSchedule(runLoop), mode) { runLoop.remove(self, forMode: mode) }
    }

    /// Ends what ``schedule(in:forMode:)`` began, and wakes the loop, which may have had nothing
    /// else to run for. For run loops, which call it from `remove(_:forMode:)`. If it is called
    /// directly, the loop goes on counting the port as its own, and a later `add(_:forMode:)` does
    /// not schedule it again: call the loop's method.
    ///
    /// - Parameters:
    ///   - runLoop: the loop to leave.
    ///   - mode: the mode in which it no longer receives.
    public override func remove(from runLoop: RunLoop, forMode mode: RunLoop.Mode) {
        state.withLock { $0.remove(mode, of: ObjectIdentifier(runLoop)) }?.leave()
    }
}

#if !canImport(Darwin)
/// Apple's name for ports between threads, for code that was written there.
public typealias NSMachPort = ThreadPort
#endif

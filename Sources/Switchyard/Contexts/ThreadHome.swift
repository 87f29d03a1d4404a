// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import SwitchyardCore
internal import Synchronization

/// Keeps values on one thread that must not leave it: the handlers that were registered with
/// `.thisThread`, which need not be `Sendable`.
///
/// A registration may end on any thread. The captures of its handler are destroyed here all the
/// same: at the thread's next turn, or when the thread ends.
final class ThreadHome: @unchecked Sendable {
    // Sendable: `boxes` is used by the home's own thread alone, the rest is constant or atomic.

    /// The home of the main actor.
    static let mains = ThreadHome(.main, thread: main)

    /// The loop in which the thread takes its turns.
    let mailbox: SharedMailbox
    /// The boxes that have a value, unretained. The home's thread only.
    private var boxes: [ObjectIdentifier: Unmanaged<AnyConfinedBox>] = [:]

    /// The thread; `main` for the main actor's, which is not bound to one, and `ended` once the
    /// thread has ended: another thread may get its token.
    private let thread: Atomic<UInt>
    private static let (main, ended): (UInt, UInt) = (0, .max)

    /// The calling thread's.
    convenience init(ofThisThread mailbox: SharedMailbox) {
        self.init(mailbox, thread: switchyard_thread_token())
    }

    private init(_ mailbox: SharedMailbox, thread: UInt) {
        self.mailbox = mailbox
        self.thread = Atomic(thread)
    }

    /// Whether the caller runs on the thread, whatever its loop does.
    var isCurrent: Bool {
        let thread = thread.load(ordering: .acquiring)
        return thread == Self.main ? MainQueue.isCurrent : thread == switchyard_thread_token()
    }

    /// Keeps `value` here. On the home's thread only.
    func confine<Value>(_ value: Value) -> Confined<Value> {
        let box = ConfinedBox(value, in: self)
        boxes[ObjectIdentifier(box)] = .passUnretained(box)
        return Confined(box, in: self)
    }

    /// Lets go of `box`, of which the caller gives up the last reference, on the home's thread.
    fileprivate func release(_ box: Unmanaged<AnyObject>) {
        // Boxes are empty once the thread has ended, and may be released anywhere.
        if isCurrent { box.release() } else { mailbox.releaseOnTarget(box) }
    }

    fileprivate func forget(_ box: AnyConfinedBox) { boxes[ObjectIdentifier(box)] = nil }

    /// Destroys all values, because the thread ends. On the home's thread, before its mailbox ends:
    /// objects that other threads let go meanwhile are kept there.
    func end() {
        while let box = boxes.popFirst()?.value.takeUnretainedValue() { box.empty() }
        thread.store(Self.ended, ordering: .releasing)
    }
}

/// A value that is used and destroyed on one thread, in the hands of any.
final class Confined<Value>: @unchecked Sendable {
    // Sendable: constant; the box is opened on the home's thread only.
    private let home: ThreadHome
    /// Retained, until the home's thread releases it: it must not have an owner elsewhere any more
    /// when it does.
    private let box: Unmanaged<ConfinedBox<Value>>

    fileprivate init(_ box: ConfinedBox<Value>, in home: ThreadHome) {
        self.home = home
        self.box = .passRetained(box)
    }

    deinit { home.release(.fromOpaque(box.toOpaque())) }

    /// The value; nil when its thread is ending. On the home's thread only.
    var value: Value? { box._withUnsafeGuaranteedRef { $0.value } }
}

/// A ``ThreadHome``'s view of a value that it keeps.
private class AnyConfinedBox {
    private let home: ThreadHome
    /// Whether the home knows of this box.
    fileprivate(set) var isKept = true

    init(in home: ThreadHome) { self.home = home }

    deinit { if isKept { home.forget(self) } }

    /// Destroys the value, because the thread ends.
    func empty() { isKept = false }
}

private final class ConfinedBox<Value>: AnyConfinedBox {
    private(set) var value: Value?

    init(_ value: Value, in home: ThreadHome) {
        self.value = value
        super.init(in: home)
    }

    override func empty() {
        super.empty()
        // Destroyed when the property has been changed: the user's code may come back to it.
        let last = value.take()
        withExtendedLifetime(last) {}
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardCore

/// The mailboxes of one run loop, that is of one thread: one for each set of modes that somebody
/// asked for, shared by all centers and observers.
final class RunLoopMailboxes: EndsWithThread, @unchecked Sendable {
    // Sendable: `loop` only goes from the loop to nil, and is only asked to perform a block, which
    // any thread may; `existingHome` is the thread's own; the rest is constant or locked.

    private struct Slot {
        /// Nil if others keep it.
        private let kept: SharedMailbox?
        /// Nil when nobody keeps it any more.
        private(set) weak var mailbox: SharedMailbox?
        var isAttached = false

        init(_ mailbox: SharedMailbox, isKept: Bool = true) {
            kept = isKept ? mailbox : nil
            self.mailbox = mailbox
        }

        /// The mailbox holds it.
        var target: RunLoopTarget? { mailbox?.target as? RunLoopTarget }
    }

    // Sendable: `Thread` may be used from any thread.
    private struct State: @unchecked Sendable {
        var slots: [Set<RunLoop.Mode>: Slot] = [:]
        /// The loop's thread, once it has attached itself.
        var thread: Thread?
        /// Whether the thread has ended: nothing is delivered there any more.
        var hasEnded = false
        /// Whether the thread's mail was dropped: nothing is delivered there any more, but the
        /// thread goes on.
        var isDropped = false
        /// The thread's name in reports.
        var name: String?
        /// The number of deliveries that may wait in each mailbox.
        var bound: DeliveryBound?
        /// The keeper, which ends the thread when nothing needs it; nil for a thread that ends by
        /// itself.
        weak var keeper: ThreadKeeper?
        /// The number of deliveries made for a mailbox that is new, once the thread is to end.
        var grace: Int?
    }

    // Sendable: the keys are identities, the values Sendable.
    private struct Directory: @unchecked Sendable {
        var byLoop: [ObjectIdentifier: RunLoopMailboxes] = [:]
        var byThread: [ObjectIdentifier: RunLoopMailboxes] = [:]
    }

    /// The loops that somebody named, and that have not ended. The entries pin their loops and
    /// threads, so no other object gets an address that is a key.
    private static let directory = Guarded(Directory())

    /// The loop is not kept alive: it has to go with its thread.
    private weak let loop: RunLoop?
    /// The loop again, unowned, so that no other object gets its address.
    private unowned let identity: RunLoop
    private let id: ObjectIdentifier
    private let state = Guarded(State())
    /// The home of values that must not leave the thread. Weak, because a home holds the mailbox,
    /// and a thread that nobody needs must not; the values keep their home. The thread only.
    private weak var existingHome: ThreadHome?
    /// The deliveries that were left when the mailboxes ended.
    let left = LeftDeliveries()

    private init(_ loop: RunLoop) {
        self.loop = loop
        identity = loop
        id = ObjectIdentifier(loop)
        if loop === RunLoop.main { state.withLock { $0.name = "main" } }
    }

    /// The mailboxes of `loop`, whose thread may not know of them yet.
    static func of(_ loop: RunLoop) -> RunLoopMailboxes {
        directory.withLock { directory in
            let id = ObjectIdentifier(loop)
            if let known = directory.byLoop[id] { return known }
            let made = RunLoopMailboxes(loop)
            directory.byLoop[id] = made
            return made
        }
    }

    /// The mailboxes of `thread`, if it has attached itself and not ended.
    static func of(_ thread: Thread) -> RunLoopMailboxes? {
        directory.withLock { $0.byThread[ObjectIdentifier(thread)] }
    }

    /// The mailboxes of the calling thread, which is attached if it was not.
    static var current: RunLoopMailboxes { attach(named: ThreadName.current) }

    /// Attaches the calling thread, under `name` in reports and with a bound for each mailbox.
    static func attach(named name: String, bound: DeliveryBound? = nil) -> RunLoopMailboxes {
        if let kept = ThreadEnd.kept(RunLoopMailboxes.self) { return kept }
        let mailboxes = of(RunLoop.current)
        let thread = Thread.current
        mailboxes.state.withLock { state in
            state.thread = thread
            state.name = name
            state.bound = bound
        }
        directory.withLock { $0.byThread[ObjectIdentifier(thread)] = mailboxes }
        ThreadEnd.notify(mailboxes)
        return mailboxes
    }

    /// The home of objects that must not leave the thread. On that thread only.
    var home: ThreadHome {
        if let existingHome { return existingHome }
        let home = ThreadHome(ofThisThread: mailbox(modes: [.common]))
        existingHome = home
        return home
    }

    /// Makes the mailbox for the common modes, which nothing here keeps. On the loop's thread,
    /// before anybody asks for it.
    ///
    /// - Parameter keeper: the object that ends the thread when nothing needs it.
    func makeMailbox(keeping keeper: ThreadKeeper) -> SharedMailbox {
        let mailbox = state.withLock { state in
            state.keeper = keeper
            let made = make([.common], state, keeping: keeper)
            state.slots[[.common]] = Slot(made, isKept: false)
            return made
        }
        attach()
        return mailbox
    }

    private func make(
        _ modes: Set<RunLoop.Mode>, _ state: State,
        keeping keeper: ThreadKeeper? = nil
    ) -> SharedMailbox {
        let target = RunLoopTarget(
            label: Self.label(state.name, modes), loop: loop, modes: modes, keeping: keeper)
        if keeper == nil { target.otherKeeper = state.keeper }
        if let grace = state.grace { target.limitDeliveries(to: grace) }
        return SharedMailbox(target, bound: state.bound)
    }

    /// The mailbox for some modes. On another thread than the loop's it begins to deliver when the
    /// loop has run in one of them.
    func mailbox(modes: Set<RunLoop.Mode>) -> SharedMailbox {
        let (mailbox, isNew) = state.withLock { state in
            if let known = state.slots[modes]?.mailbox { return (known, false) }
            let mailbox = make(modes, state)
            if state.hasEnded {
                mailbox.end()
                return (mailbox, false)
            }
            if state.isDropped { _ = mailbox.drop() }
            state.slots[modes] = Slot(mailbox)
            return (mailbox, true)
        }
        if ThreadEnd.kept(RunLoopMailboxes.self) === self {
            attach()
        } else if isNew {
            attachFromElsewhere(modes)
        }
        return mailbox
    }

    /// Has the loop attach its mailboxes when it next runs in one of `modes`, or else tell that it
    /// has gone.
    private func attachFromElsewhere(_ modes: Set<RunLoop.Mode>) {
        // A caller holds the loop, unless the loop's thread attached itself, and so reports its own
        // end.
        guard let loop else { return }
        let visit = Visit(self)
        loop.perform(inModes: Array(modes)) {
            Self.current.attach()
            withExtendedLifetime(visit) {}
        }
        loop.wakeFromElsewhere(inModes: modes)
    }

    /// An object that a loop holds until it has attached its mailboxes. Its deinit finds out
    /// whether the loop has gone before.
    private final class Visit: Sendable {
        private let mailboxes: RunLoopMailboxes
        init(_ mailboxes: RunLoopMailboxes) { self.mailboxes = mailboxes }
        deinit { mailboxes.visitEnds() }
    }

    /// Ends the mailboxes, if the loop has gone before its thread could attach them.
    private func visitEnds() {
        if state.withLock({ $0.thread == nil && !$0.hasEnded }) { threadEnds() }
    }

    /// Attaches, on the loop's thread, the mailboxes that are not attached yet.
    private func attach() {
        let new = state.withLock { state in
            let new = state.slots.filter { !$0.value.isAttached }
            for modes in new.keys { state.slots[modes]?.isAttached = true }
            return new
        }
        for slot in new.values {
            if let mailbox = slot.mailbox { slot.target?.attach(mailbox) }
        }
    }

    private static func label(_ name: String?, _ modes: Set<RunLoop.Mode>) -> String {
        let thread = name.map { "thread \($0)" } ?? "another thread's run loop"
        if modes == [.common] { return thread }
        return thread + " in " + modes.map(\.rawValue).sorted().joined(separator: ", ")
    }

    /// Has each mailbox deliver its waiting mail, then up to `grace` more deliveries, and then
    /// none. On the loop's thread.
    func leave(after grace: Int) {
        attach()
        let slots = state.withLock { state in
            state.grace = grace
            return Array(state.slots.values)
        }
        for slot in slots {
            guard let mailbox = slot.mailbox else { continue }
            slot.target?.limitDeliveries(to: mailbox.depth + grace)
        }
    }

    /// Ends the mailboxes while their thread goes on; see ``SharedMailbox/drop()``. On any thread.
    func drop() -> Int {
        let mailboxes = state.withLock { state in
            state.isDropped = true
            return state.slots.values.compactMap(\.mailbox)
        }
        return mailboxes.reduce(0) { $0 + $1.drop() }
    }

    /// The number of deliveries that a thread that is to end still makes, if it runs its loop in
    /// `modes`.
    func left(in modes: Set<RunLoop.Mode>) -> Int {
        let slots = state.withLock { state in
            state.slots.filter { !$0.key.isDisjoint(with: modes) }
        }
        return slots.values.reduce(0) { sum, slot in
            sum + min(slot.mailbox?.depth ?? 0, slot.target?.deliveriesLeft ?? 0)
        }
    }

    /// Ends all mailboxes, because their thread ends or their loop has gone.
    func threadEnds() {
        let (slots, thread) = state.withLock { state in
            defer { state = State(hasEnded: true, name: state.name) }
            return (state.slots, state.thread)
        }
        Self.directory.withLock { directory in
            if directory.byLoop[id] === self { directory.byLoop[id] = nil }
            if let thread { directory.byThread[ObjectIdentifier(thread)] = nil }
        }
        // The values destroyed below may post. Nothing is delivered here any more: such a post is
        // reported as undeliverable when the mailbox ends.
        for slot in slots.values { slot.target?.detach() }
        Rest(existingHome, slots.values.compactMap(\.mailbox), left).threadEnds()
    }

    /// The rest of the end, which may run the user's code. If that ends the thread once more, this
    /// goes on after that.
    private final class Rest: EndsWithThread {
        private let home: ThreadHome?
        private var mailboxes: ArraySlice<SharedMailbox>
        private let left: LeftDeliveries

        init(_ home: ThreadHome?, _ mailboxes: [SharedMailbox], _ left: LeftDeliveries) {
            self.home = home
            self.mailboxes = mailboxes[...]
            self.left = left
        }

        func threadEnds() {
            ThreadEnd.notify(self)
            defer { ThreadEnd.forget(self) }
            home?.end()
            while let mailbox = mailboxes.popFirst() { left.add(mailbox.end()) }
        }
    }
}

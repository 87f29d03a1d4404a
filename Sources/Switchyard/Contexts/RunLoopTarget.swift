// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import Synchronization

/// One thread's run loop, in some of its modes, as the target of a mailbox.
final class RunLoopTarget: WaitableTarget, KeptTarget {
    let label: String
    /// The thread; zero until the loop is attached.
    private let thread: Atomic<UInt>
    private let source: Guarded<RunLoopSource?>
    private let modes: RunLoopModes
    /// The loop is not kept alive: it has to go with its thread.
    // Unsafe to the compiler: only its identity is asked for.
    private nonisolated(unsafe) weak let loop: RunLoop?
    /// The loop, to ask in which mode it runs; nil until it is attached.
    // Unsafe to the compiler: for the loop's thread alone.
    private nonisolated(unsafe) var hooks: RunLoopHooks?
    /// The number of further deliveries, once the thread is to end; nil before.
    // Unsafe to the compiler: for the loop's thread alone.
    private(set) nonisolated(unsafe) var deliveriesLeft: Int?
    /// Ends the thread when nothing needs it; nil for a thread that ends by itself.
    let keeper: ThreadKeeper?
    /// The keeper of the thread, in a target for modes other than the common ones. The reference is
    /// weak, because the thread holds the mailboxes of these modes, and must not keep itself alive.
    // Unsafe to the compiler because it is weak: set once, before the mailbox is known to anybody.
    nonisolated(unsafe) weak var otherKeeper: ThreadKeeper?
    /// Set by a wake-up that came before the loop was attached.
    private let wakesOnAttach = Atomic<Bool>(false)

    /// A target that is attached later, on the loop's thread.
    init(
        label: String, loop: RunLoop?, modes: Set<RunLoop.Mode>,
        keeping keeper: ThreadKeeper? = nil
    ) {
        self.label = label
        self.keeper = keeper
        self.loop = loop
        self.modes = RunLoopModes(modes)
        thread = Atomic(0)
        source = Guarded(nil)
    }

    /// Attaches to the calling thread's run loop.
    func attach(_ mailbox: SharedMailbox) {
        let attached = RunLoopSource(inModes: Array(modes.modes)) { [weak self, weak mailbox] in
            if let self, let mailbox { drain(mailbox) }
        }
        hooks = .current
        source.withLock { $0 = attached }
        thread.store(switchyard_thread_token(), ordering: .releasing)
        if wakesOnAttach.exchange(false, ordering: .sequentiallyConsistent) { attached.signal() }
    }

    /// Lets go of the loop, on its thread, when that ends, or elsewhere, if it was never attached.
    func detach() {
        hooks = nil
        thread.store(0, ordering: .releasing)
        source.exchange(nil)?.invalidate()
    }

    func wake(_ mailbox: SharedMailbox) {
        if let source = source.withLock({ $0 }) { return source.signal() }
        wakesOnAttach.store(true, ordering: .sequentiallyConsistent)
        // The loop may have been attached meanwhile.
        if let source = source.withLock({ $0 }) { source.signal() }
    }

    private func drain(_ mailbox: SharedMailbox) {
        guard deliveriesLeft != nil else { return mailbox.drainAll() }
        // Delivers one at a time, so that a run loop inside a handler uses the same count. Delivers
        // no more than wait at the beginning, so that the loop gets to its other sources.
        var waiting = mailbox.depth
        // The wake-up may have come for an object to release, or for deliveries that were given up:
        // the mailbox has to know that it was answered.
        if waiting == 0 { mailbox.deliver(atMost: 0) }
        while waiting > 0, let most = deliveriesLeft, most > 0 {
            deliveriesLeft = most - 1
            mailbox.deliver(atMost: 1)
            waiting -= 1
        }
    }

    /// Delivers at most `most` entries from now on. Called on the loop's thread.
    func limitDeliveries(to most: Int) { deliveriesLeft = most }

    func registrationBegan(_ observation: Observation) {
        (keeper ?? otherKeeper)?.registrationBegan(observation)
    }

    func registrationEnded(_ observation: Observation) {
        (keeper ?? otherKeeper)?.registrationEnded(observation)
    }

    func centerBegan() { (keeper ?? otherKeeper)?.centerBegan() }

    func centerEnded() {
        (keeper ?? otherKeeper)?.centerEnded()
    }

    var runsNestedLoops: Bool { true }

    var waitResources: [WaitGraph.Resource] {
        let thread = thread.load(ordering: .acquiring)
        return thread == 0 ? [] : [WaitGraph.Resource(.thread(thread), label)]
    }

    var isCurrent: Bool { isOnThread && runsInModes }

    /// A post that waited would keep the thread from delivering, whatever the mode, also before the
    /// loop is attached.
    var isHeldByCaller: Bool {
        if thread.load(ordering: .acquiring) != 0 { return isOnThread }
        guard let loop else { return false }
        return loop === RunLoop.current
    }

    private var isOnThread: Bool {
        thread.load(ordering: .acquiring) == switchyard_thread_token()
    }

    /// Whether the loop runs in one of the modes. The common modes alone stand for the thread: it
    /// is also there while it runs no loop.
    private var runsInModes: Bool {
        guard let hooks else { return false }
        guard let mode = hooks.currentMode else { return modes.modes == [.common] }
        return modes.contains(mode, isCommon: hooks.isCommon(mode))
    }
}

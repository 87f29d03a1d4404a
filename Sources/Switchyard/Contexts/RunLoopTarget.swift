// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
internal import SwitchyardCore
internal import Synchronization

/// One thread's run loop, in some of its modes, as the target of a mailbox.
final class RunLoopTarget: PlacedTarget {
    let label: String
    /// Which thread it is; zero until the loop is attached.
    private let thread: Atomic<UInt>
    private let source: Guarded<RunLoopSource?>
    /// Set by a wake-up that came before the loop was attached.
    private let isWaiting = Atomic<Bool>(false)

    /// A target that is attached later, on the loop's thread.
    init(label: String) {
        self.label = label
        thread = Atomic(0)
        source = Guarded(nil)
    }

    /// Attaches to the calling thread's run loop.
    func attach(_ mailbox: DeliveryMailbox, modes: [RunLoop.Mode]) {
        let attached = RunLoopSource(inModes: modes) { [weak mailbox] in mailbox?.drain() }
        source.withLock { $0 = attached }
        thread.store(switchyard_thread_token(), ordering: .releasing)
        if isWaiting.exchange(false, ordering: .sequentiallyConsistent) { attached.signal() }
    }

    /// Lets go of the loop, on its thread, when that ends.
    func detach() {
        thread.store(0, ordering: .releasing)
        source.exchange(nil)?.invalidate()
    }

    func wake(_ mailbox: DeliveryMailbox) {
        if let source = source.withLock({ $0 }) { return source.signal() }
        isWaiting.store(true, ordering: .sequentiallyConsistent)
        // It may have been attached meanwhile.
        if let source = source.withLock({ $0 }) { source.signal() }
    }

    var runsNestedLoops: Bool { true }

    var waitPlaces: [WaitGraph.Place] {
        let thread = thread.load(ordering: .acquiring)
        return thread == 0 ? [] : [WaitGraph.Place(.thread(thread), label)]
    }

    var isCurrent: Bool { thread.load(ordering: .acquiring) == switchyard_thread_token() }
}

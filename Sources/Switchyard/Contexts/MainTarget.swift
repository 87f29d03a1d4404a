// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Dispatch
internal import Foundation
internal import SwitchyardCore
internal import Synchronization

/// The main actor as the target of a mailbox.
///
/// Woken through the main dispatch queue, which every kind of main program serves, and through the
/// main run loop as well: a loop that runs inside a block of the main queue does not serve the
/// queue.
final class MainTarget: WaitableTarget {
    private let source: RunLoopSource
    /// The number of our blocks in the main queue. A block is counted after it was put there, and
    /// not before: a caller that finds one counted can rely on it to run before any block that the
    /// caller itself puts into the queue later.
    private let blocks = Atomic<Int>(0)

    fileprivate init() {
        _ = OperationQueueResources.isKnown
        source = RunLoopSource.onMain(inModes: [.common]) { SharedMailbox.main.drainAll() }
        MainMailbox.made.store(true, ordering: .relaxed)
    }

    var label: String { "main" }
    var waitResources: [WaitGraph.Resource] { [.main] }

    var isCurrent: Bool { MainQueue.isCurrent }

    var runsNestedLoops: Bool { true }

    func wake(_ mailbox: SharedMailbox) {
        source.signal()
        // One waiting block is enough. More would pile up while a run loop runs inside a block of
        // the main queue, because no other block runs then. An atomic write reads the count, so
        // that a block that has not begun by then sees the deliveries.
        if blocks.add(0, ordering: .acquiringAndReleasing).newValue > 0 { return }
        DispatchQueue.main.async { [self] in
            blocks.subtract(1, ordering: .acquiringAndReleasing)
            mailbox.drainAll()
        }
        blocks.add(1, ordering: .acquiringAndReleasing)
    }
}

/// The mailbox of the main actor, which is made at its first use.
package enum MainMailbox {
    fileprivate static let made = Atomic<Bool>(false)

    /// Whether it was made, and the main run loop with it.
    package static var isMade: Bool { made.load(ordering: .relaxed) }
}

/// Makes the target of the main actor's mailbox, for `SwitchyardCore`, which holds that mailbox.
@_cdecl("switchyard_make_main_target")
func makeMainTarget() -> UnsafeMutableRawPointer { Unmanaged.passRetained(MainTarget()).toOpaque() }

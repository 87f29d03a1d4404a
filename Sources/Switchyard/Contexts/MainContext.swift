// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Dispatch
internal import Foundation
internal import SwitchyardCore
internal import Synchronization

/// The main actor as the target of a mailbox.
///
/// Woken through the main dispatch queue, which every kind of main program serves, and through the
/// main run loop as well: a loop that runs inside a block of the main queue does not serve the queue.
final class MainTarget: PlacedTarget {
    static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    private let source: RunLoopSource
    /// Whether a block of the main queue is on its way.
    private let hasBlock = Atomic<Bool>(false)

    fileprivate init() {
        _ = OperationQueuePlaces.isKnown
        source = RunLoopSource.onMain(inModes: [.common]) { SharedMailbox.main.drainAll() }
    }

    var label: String { "main" }
    var waitPlaces: [WaitGraph.Place] { [.main] }

    /// Whether the caller runs on the main actor: on the main thread, also inside `queue.sync` there,
    /// or on the main queue. Under `dispatchMain()` and async `@main` any thread may run that queue,
    /// and the main thread runs no code any more.
    static var isCurrent: Bool {
        switchyard_is_main_thread() || DispatchQueue.getSpecific(key: key) == true
    }

    var isCurrent: Bool { Self.isCurrent }

    var runsNestedLoops: Bool { true }

    func wake(_ mailbox: SharedMailbox) {
        source.signal()
        // One block at a time: while a loop runs inside a block of the main queue, none of them can.
        if hasBlock.exchange(true, ordering: .acquiringAndReleasing) { return }
        DispatchQueue.main.async { [self] in
            hasBlock.store(false, ordering: .releasing)
            mailbox.drainAll()
        }
    }
}

/// Makes the target of the main actor's mailbox, for `SwitchyardCore`, which holds that mailbox.
@_cdecl("switchyard_make_main_target")
func makeMainTarget() -> UnsafeMutableRawPointer { Unmanaged.passRetained(MainTarget()).toOpaque() }

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Dispatch
internal import Foundation
public import SwitchyardCore
internal import Synchronization

/// The main actor, as a place for handlers: written `.main`.
///
/// A type of its own, so that the compiler sees that a handler there may use main-actor state.
public struct MainContext: Sendable {
    /// On the main actor: under `RunLoop.main.run()`, `dispatchMain()`, and an async `@main`.
    ///
    /// A post made there is delivered before it returns when nothing else waits for the main actor;
    /// any other waits its turn.
    public static let main = MainContext()
}

extension DeliveryMailbox {
    /// The mailbox of the main actor. `.mailbox(.main)` is the context for code that chooses one at
    /// run time; where it is known, `.main` also tells the compiler that handlers are isolated.
    public static let main = DeliveryMailbox(target: MainTarget.shared)
}

/// The main actor as the target of a mailbox.
///
/// Woken through the main dispatch queue, which every kind of main program serves, and through the
/// main run loop as well: a loop that runs inside a block of the main queue does not serve the queue.
final class MainTarget: PlacedTarget {
    static let shared = MainTarget()

    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    private let source: RunLoopSource
    /// Whether a block of the main queue is on its way.
    private let hasBlock = Atomic<Bool>(false)

    private init() {
        _ = OperationQueuePlaces.isKnown
        source = RunLoopSource.onMain(inModes: [.common]) { DeliveryMailbox.main.drain() }
    }

    var label: String { "main" }
    var waitPlaces: [WaitGraph.Place] { [OperationQueuePlaces.main] }

    /// Asked of the main queue, not of the thread: under `dispatchMain()` and async `@main` the
    /// queue may run on any thread.
    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }

    var isCurrent: Bool { Self.isCurrent }

    var runsNestedLoops: Bool { true }

    func wake(_ mailbox: DeliveryMailbox) {
        source.signal()
        // One block at a time: while a loop runs inside a block of the main queue, none of them can.
        if hasBlock.exchange(true, ordering: .acquiringAndReleasing) { return }
        DispatchQueue.main.async { [self] in
            hasBlock.store(false, ordering: .releasing)
            mailbox.drain()
        }
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Dispatch
internal import Foundation
internal import SwitchyardCore
internal import Synchronization

// The main backlog is drained through the main dispatch queue as well: under `dispatchMain()` and an
// async `@main` the main run loop never runs. While the main run loop runs, it drains, and the blocks
// of the main queue do nothing.

extension Backlog {
    /// Has a block of the main queue post what waits, if no run loop does.
    func hop() { DispatchQueue.main.async { Backlog.main.hopped() } }

    private func hopped() {
        MainLoopEnd.note()
        let isLoopRunning = isLoopRunning
        guard state.withLock({ $0.armings.hopCame(isLoopRunning: isLoopRunning) }) else { return }
        drain(through: .asap, in: .default)
        // Idle is when the main queue has run what was in it: behind what asap brought about.
        guard state.withLock({ $0.wantsIdleHop() }) else { return }
        DispatchQueue.main.async { Backlog.main.hoppedWhenIdle() }
    }

    private func hoppedWhenIdle() {
        let isLoopRunning = isLoopRunning
        guard state.withLock({ $0.armings.idleHopCame(isLoopRunning: isLoopRunning) }) else {
            return
        }
        drain(through: .whenIdle, in: .default)
    }

    /// The main thread has ended: the calls that its run loop was asked for will not come.
    fileprivate func mainLoopEnded() {
        if state.withLock({ $0.armings.wantsHop() }) { hop() }
    }
}

/// Whether the main thread has ended, as it does under `dispatchMain()` and an async `@main`, so
/// that the main run loop can't be called any more.
enum MainLoopEnd {
    private final class Watch: EndsWithThread {
        func threadEnds() {
            flag.store(true, ordering: .releasing)
            Backlog.main.mainLoopEnded()
        }
    }

    private static let flag = Atomic<Bool>(false)
    private static let isWatched = Atomic<Bool>(false)

    static var hasCome: Bool { flag.load(ordering: .acquiring) }

    /// Has the end noted when it comes. On the main thread.
    static func watch() {
        if isWatched.exchange(true, ordering: .relaxed) { return }
        ThreadEnd.notify(Watch())
    }

    /// Called on the main queue: notes the end, if another thread serves the queue, or else has it
    /// noted when it comes.
    static func note() {
        if Thread.isMainThread { return watch() }
        flag.store(true, ordering: .releasing)
    }
}

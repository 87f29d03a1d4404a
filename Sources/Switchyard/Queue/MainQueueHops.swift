// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Dispatch
internal import Foundation
internal import SwitchyardCore
internal import Synchronization

/// Drains the main backlog through the main dispatch queue: under `dispatchMain()` and an async
/// `@main` the main run loop never runs.
///
/// While the main run loop runs, it drains, and this does nothing.
struct MainQueueHops: ~Copyable {
    /// Whether a block is on its way that posts asap.
    private let hasHop = Atomic<Bool>(false)
    /// Whether one is on its way that posts whenIdle.
    private let hasIdleHop = Atomic<Bool>(false)

    /// Has a block of the main queue post what waits, if no run loop does.
    func hop() {
        if hasHop.exchange(true, ordering: .acquiringAndReleasing) { return }
        DispatchQueue.main.async { Backlog.main.mainQueue.hopped() }
    }

    private func hopped() {
        hasHop.store(false, ordering: .releasing)
        MainLoopEnd.note()
        guard !Backlog.main.isLoopRunning else { return }
        Backlog.main.drain(through: .asap, in: .default)
        if Backlog.main.state.withLock({ $0.hasPosts(.whenIdle) }) { hopWhenIdle() }
    }

    /// Idle is when the main queue has run what was in it: behind what asap brought about.
    private func hopWhenIdle() {
        if hasIdleHop.exchange(true, ordering: .acquiringAndReleasing) { return }
        DispatchQueue.main.async { Backlog.main.mainQueue.hoppedWhenIdle() }
    }

    private func hoppedWhenIdle() {
        hasIdleHop.store(false, ordering: .releasing)
        guard !Backlog.main.isLoopRunning else { return }
        Backlog.main.drain(through: .whenIdle, in: .default)
    }
}

/// Whether the main thread has ended, as it does under `dispatchMain()` and an async `@main`, so
/// that the main run loop can't be called any more.
enum MainLoopEnd {
    private final class Watch: EndsWithThread {
        func threadEnds() { flag.store(true, ordering: .releasing) }
    }

    private static let flag = Atomic<Bool>(false)

    static var hasCome: Bool { flag.load(ordering: .acquiring) }

    /// Has the end noted when it comes. On the main thread.
    static func watch() { ThreadEnd.notify(Watch()) }

    /// Notes the end, when called on the main queue: only then does another thread serve it.
    static func note() {
        if !Thread.isMainThread { flag.store(true, ordering: .releasing) }
    }
}

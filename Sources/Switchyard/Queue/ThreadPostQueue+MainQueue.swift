// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Dispatch
internal import Foundation
internal import SwitchyardCore

// The main thread's posts are made through the main dispatch queue as well: under `dispatchMain()`
// and an async `@main` the main run loop never runs. While the main run loop runs, it drains, and
// the blocks of the main queue do nothing.

extension ThreadPostQueue {
    /// Has a block of the main queue post the waiting entries, if no run loop does.
    func hop() { DispatchQueue.main.async { ThreadPostQueue.main.hopped() } }

    private func hopped() {
        Self.noteMainServer()
        let isLoopRunning = isLoopRunning
        guard state.withLock({ $0.requests.hopCame(isLoopRunning: isLoopRunning) }) else { return }
        drain(through: .asap, in: .default)
        // The queue counts as idle when it has run its blocks: after the blocks of asap entries.
        guard state.withLock({ $0.wantsIdleHop() }) else { return }
        DispatchQueue.main.async { ThreadPostQueue.main.hoppedWhenIdle() }
    }

    private func hoppedWhenIdle() {
        let isLoopRunning = isLoopRunning
        guard state.withLock({ $0.requests.idleHopCame(isLoopRunning: isLoopRunning) }) else {
            return
        }
        drain(through: .whenIdle, in: .default)
    }

    /// The main thread has ended: the calls that its run loop was asked for will not come.
    private func mainLoopEnded() {
        if state.withLock({ $0.requests.wantsHop() }) { hop() }
    }

    /// Has the end of the main run loop noted when it comes. On the main thread.
    static func watchMainLoop() { MainLoopEnd.watch { main.mainLoopEnded() } }

    /// Called on the main queue: notes the end of the main run loop, if another thread than the
    /// main thread serves the queue, or else has it noted when it comes.
    static func noteMainServer() {
        if Thread.isMainThread { watchMainLoop() } else { MainLoopEnd.note() }
    }
}

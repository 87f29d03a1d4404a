// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import Synchronization

// How a run loop posts what waits.
//
// asap: a block given to the loop, which runs it at the end of its current callout. whenIdle: an
// observer of the moment before it waits; and a block that comes again until then, because a loop
// that has nothing but observers is not run at all. Neither is a source: a loop with a source would
// go on for ever. Because a loop looks whether it has anything left to do only after it has waited,
// each of these calls wakes it once more.
//
// A call carries its arming's number, and does nothing when the lane has another by now. That is how
// a drain leaves what its handlers enqueue to the next pass, although the loop may have collected
// another call for this one; and how a loop that a handler runs gets calls of its own for what is
// left.

extension Backlog {
    /// Has the loop drain a lane. From any thread.
    func arm(_ arming: Arming) {
        let callsLoop = !isMain || !MainLoopEnd.hasCome
        if callsLoop {
            tellLoop(arming)
            arming.hooks.wake()
        }
        if isMain { mainQueue.hop(for: arming.style) }
    }

    private func tellLoop(_ arming: Arming) {
        if arming.style == .asap {
            arming.hooks.perform(in: arming.modes) { [self] in fire(arming) }
        } else {
            arming.hooks.beforeWaiting(in: arming.modes) { [self] in fire(arming) }
            keepLoop(arming)
        }
    }

    /// Gives the loop something to do until the arming has fired.
    private func keepLoop(_ arming: Arming) {
        arming.hooks.perform(in: arming.modes) { [self] in
            let isDue = state.withLock { $0.lanes[arming.lane].arming == arming.number }
            if isDue { keepLoop(arming) } else { arming.hooks.wake() }
        }
    }

    /// Called by the owner's run loop.
    private func fire(_ arming: Arming) {
        let isDue = state.withLock { state in
            guard state.lanes[arming.lane].arming == arming.number else { return false }
            state.lanes[arming.lane].arming = 0
            return true
        }
        if isDue { drain(through: arming.style, in: arming.hooks.currentMode ?? .default) }
        arming.hooks.wake()
    }

    /// Posts what waits for a mode: asap, and, when the loop is idle, then whenIdle.
    func drain(through style: NotificationQueue.PostingStyle, in mode: RunLoop.Mode) {
        drain(.asap, in: mode)
        if style == .whenIdle { drain(.whenIdle, in: mode) }
    }

    /// Posts what waited for a style and mode when this was called.
    ///
    /// Takes the posts one by one, from where a run loop inside a handler takes them too.
    private func drain(_ style: NotificationQueue.PostingStyle, in mode: RunLoop.Mode) {
        let hooks = state.withLock(\.hooks)
        guard let hooks else { return }
        let start = state.withLock { state -> DrainStart? in
            let drain = state.beginDrain(style, mode) { hooks.isCommon($0) }
            guard let drain else { return nil }
            let first = state.next(drain)
            count.store(state.pending.count, ordering: .relaxed)
            return DrainStart(drain: drain, first: first, armings: state.armAgain(drain))
        }
        guard let start else { return }
        for arming in start.armings { arm(arming) }
        var taken = start.first
        while let some = taken {
            some.post.post(on: some.center)
            taken = next(start.drain)
        }
    }

    private func next(_ drain: Drain) -> BacklogState.Taken? {
        state.withLock { state in
            let taken = state.next(drain)
            count.store(state.pending.count, ordering: .relaxed)
            return taken
        }
    }

    private struct DrainStart {
        let drain: Drain
        let first: BacklogState.Taken?
        let armings: [Arming]
    }
}

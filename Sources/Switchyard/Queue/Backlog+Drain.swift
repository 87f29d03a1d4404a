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
            if isDue(arming, fires: false) { keepLoop(arming) } else { arming.hooks.wake() }
        }
    }

    /// Called by the owner's run loop.
    private func fire(_ arming: Arming) {
        if isDue(arming, fires: true) {
            drain(through: arming.style, in: arming.hooks.currentMode ?? .default)
        }
        arming.hooks.wake()
    }

    /// Whether no other arming of its lane has taken the place of this one. If it fires, the lane has
    /// none any more.
    private func isDue(_ arming: Arming, fires: Bool) -> Bool {
        state.withLock { state in
            // The thread may have ended, and its lanes be gone.
            guard arming.lane < state.lanes.count else { return false }
            guard state.lanes[arming.lane].arming == arming.number else { return false }
            if fires { state.lanes[arming.lane].arming = 0 }
            return true
        }
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
        var center: NotificationCenter?
        let state = self.state.acquire()
        guard let hooks = state.pointee.hooks,
            let drain = state.pointee.beginDrain(style, mode, isCommon: hooks.isCommon)
        else {
            return self.state.release()
        }
        var post = state.pointee.next(drain, &center)
        let armings = state.pointee.armAgain(drain)
        count.store(state.pointee.pending.count, ordering: .relaxed)
        self.state.release()
        for arming in armings { arm(arming) }
        while let next = post.take(), let target = center {
            next.post(on: target)
            post = self.next(drain, &center)
        }
    }
}

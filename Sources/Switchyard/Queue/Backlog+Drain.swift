// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import Synchronization

// How a run loop posts what waits.
//
// asap: a block given to the loop, which runs it when it has called all timers that are due, or all
// blocks, or all sources, whichever it is at. whenIdle: an
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
        if arming.hops { hop() }
    }

    // A call that the loop holds must not hold the loop, which would never be freed: the calls know the
    // arming by its lane and number, and ask the backlog for the loop.

    private func tellLoop(_ arming: Arming) {
        let (lane, number, style) = (arming.lane, arming.number, arming.style)
        if style == .asap {
            arming.hooks.perform(in: arming.modes) { [self] in fire(lane, number, style) }
        } else {
            arming.hooks.beforeWaiting(in: arming.modes) { [self] in fire(lane, number, style) }
            keepLoop(lane, number, arming.modes, arming.hooks)
        }
    }

    /// Gives the loop something to do until an arming has fired.
    private func keepLoop(
        _ lane: Int, _ number: UInt64, _ modes: RunLoopModes, _ hooks: RunLoopHooks
    ) {
        hooks.perform(in: modes) { [self] in
            let (isDue, hooks) = isDue(lane, number, fires: false)
            guard let hooks else { return }
            if isDue { keepLoop(lane, number, modes, hooks) } else { hooks.wake() }
        }
    }

    /// Called by the owner's run loop.
    private func fire(_ lane: Int, _ number: UInt64, _ style: NotificationQueue.PostingStyle) {
        let (isDue, hooks) = isDue(lane, number, fires: true)
        guard let hooks else { return }
        if isDue { drain(through: style, in: hooks.currentMode ?? .default) }
        hooks.wake()
    }

    /// Whether no other arming of its lane has taken the place of this one, and the loop, unless the
    /// thread has ended. If the arming fires, the lane has none any more.
    private func isDue(
        _ lane: Int, _ number: UInt64, fires: Bool
    ) -> (isDue: Bool, hooks: RunLoopHooks?) {
        state.withLock { state in
            guard let hooks = state.hooks else { return (false, nil) }
            let isDue =
                fires
                ? state.armings.callCame(for: lane, number) : state.armings.isDue(lane, number)
            return (isDue, hooks)
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
        var first: NotificationCenter?
        let state = self.state.acquire()
        guard let hooks = state.pointee.hooks,
            let drain = state.pointee.beginDrain(style, mode, isCommon: hooks.isCommon)
        else {
            return self.state.release()
        }
        var post = state.pointee.next(drain, after: nil, &first)
        let armings = state.pointee.armAgain()
        count.store(state.pointee.pending.count, ordering: .relaxed)
        self.state.release()
        for arming in armings { arm(arming) }
        guard var center = first.take() else { return }
        while let next = post.take() {
            next.post(on: center)
            // Replaced when the lock is free: the one before may go.
            var other: NotificationCenter?
            post = self.next(drain, after: center, &other)
            if let other { center = other }
        }
    }
}

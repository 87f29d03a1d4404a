// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import Synchronization

// The drain of a run loop: it posts the waiting notifications.
//
// asap: a block given to the loop, which runs it when it has called all timers that are due, or all
// blocks, or all sources, whichever it is at. whenIdle: an
// observer of the moment before it waits; and a block that comes again until then, because a loop
// that has nothing but observers is not run at all. Neither is a source: a loop with a source would
// go on for ever. Because a loop looks whether it has anything left to do only after it has waited,
// each of these calls wakes it once more.
//
// A call carries its request's number, and does nothing when the lane has another by now. That is
// how a drain leaves what its handlers enqueue to the next pass, although the loop may have
// collected another call for this one; and how a loop that a handler runs gets calls of its own for
// the entries that are left.

extension ThreadPostQueue {
    /// Has the loop drain a lane. From any thread.
    func send(_ request: DrainRequest) {
        let callsLoop = !isMain || !MainLoopEnd.hasCome
        if callsLoop {
            tellLoop(request)
            request.hooks.wake()
        }
        if request.hops { hop() }
    }

    // A call that the loop holds must not hold the loop, which would never be freed: the calls know
    // the request by its lane and number, and ask the post queue for the loop.

    private func tellLoop(_ request: DrainRequest) {
        let (lane, number, style) = (request.lane, request.number, request.style)
        if style == .asap {
            request.hooks.perform(in: request.modes) { [self] in answer(lane, number, style) }
        } else {
            request.hooks.beforeWaiting(in: request.modes) { [self] in answer(lane, number, style) }
            keepLoop(lane, number, request.modes, request.hooks)
        }
    }

    /// Gives the loop something to do until a request has been answered.
    private func keepLoop(
        _ lane: Int, _ number: UInt64, _ modes: RunLoopModes, _ hooks: RunLoopHooks
    ) {
        hooks.perform(in: modes) { [self] in
            let (isDue, hooks) = isDue(lane, number, isAnswered: false)
            guard let hooks else { return }
            if isDue { keepLoop(lane, number, modes, hooks) } else { hooks.wake() }
        }
    }

    /// Called by the owner's run loop.
    private func answer(_ lane: Int, _ number: UInt64, _ style: LaneStyle) {
        let (isDue, hooks) = isDue(lane, number, isAnswered: true)
        guard let hooks else { return }
        if isDue { drain(through: style, in: hooks.currentMode ?? .default) }
        hooks.wake()
    }

    /// Whether the request is still its lane's latest, and the loop, unless the thread has ended.
    /// If the call answers it, the lane has none any more.
    private func isDue(
        _ lane: Int, _ number: UInt64, isAnswered: Bool
    ) -> (isDue: Bool, hooks: RunLoopHooks?) {
        state.withLock { state in
            guard let hooks = state.hooks else { return (false, nil) }
            let isDue =
                isAnswered
                ? state.requests.callCame(for: lane, number) : state.requests.isDue(lane, number)
            return (isDue, hooks)
        }
    }

    /// Posts the entries that wait for a mode: first asap, and, if the style is whenIdle, then
    /// that.
    func drain(through style: LaneStyle, in mode: RunLoop.Mode) {
        drain(.asap, in: mode)
        if style == .whenIdle { drain(.whenIdle, in: mode) }
    }

    /// Posts what waited for a style and mode when this was called.
    ///
    /// Takes the posts one by one, from where a run loop inside a handler takes them too.
    private func drain(_ style: LaneStyle, in mode: RunLoop.Mode) {
        var first: NotificationCenter?
        let state = self.state.acquire()
        guard let hooks = state.pointee.hooks,
            let drain = state.pointee.beginDrain(style, mode, isCommon: hooks.isCommon)
        else {
            return self.state.release()
        }
        var post = state.pointee.next(drain, after: nil, &first)
        let requests = state.pointee.requestAgain()
        count.store(state.pointee.pending.count, ordering: .relaxed)
        self.state.release()
        for request in requests { send(request) }
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

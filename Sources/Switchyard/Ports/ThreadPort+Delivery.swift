// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
internal import SwitchyardCore

// MARK: - Receiving

extension ThreadPort {
    /// Gives the delegate what waits: a run loop's turn, on its thread.
    private func takeTurn() {
        guard let turn = state.withLock({ $0.beginTurn() }) else { return }
        turn.wakeUp.wake()
        while let next = state.withLock({ $0.next(in: turn) }) {
            next.admitted?.wake()
            next.receiver.receive(next.mail.message(receivedBy: self))
        }
        state.withLock { $0.endTurn() }.wake()
    }
}

// MARK: - Run loops

extension ThreadPort {
    /// Receives on the loop of `place` in `mode`; false if the port is invalid.
    func enter(_ place: PortPlace, _ mode: RunLoop.Mode) -> Bool {
        switch state.withLock({ $0.enter(place, mode) }) {
        case .isInvalid:
            return false
        case .entered:
            return true
        case .unattached(let place):
            if place.isMain || place.loop === RunLoop.current {
                attach(place)
            } else {
                attachFromElsewhere(place, mode)
            }
            return true
        }
    }

    /// Has the loop attach the port when it next runs in `mode`.
    private func attachFromElsewhere(_ place: PortPlace, _ mode: RunLoop.Mode) {
        place.loop.perform(inModes: [mode]) { [weak self, weak place] in
            if let self, let place { attach(place) }
        }
        place.loop.wakeFromElsewhere(inModes: [mode])
    }

    /// Connects the port with the loop of `place`: the calling thread's, or main.
    private func attach(_ place: PortPlace) {
        let receive = { [weak self] in
            if let self { takeTurn() }
        }
        let source =
            place.isMain
            ? RunLoopSource.onMain(inModes: [], perform: receive)
            : RunLoopSource(inModes: [], perform: receive)
        let ports = place.isMain ? nil : PortsOfThread.current
        ports?.add(place, of: self)
        let (isUsed, wakeUp) = state.withLock { state in
            let (isUsed, wakeUp) = state.attach(place, source)
            if isUsed { place.residence = ports.map { (switchyard_thread_token(), $0) } }
            return (isUsed, wakeUp)
        }
        if isUsed { return wakeUp.wake() }
        source.invalidate()
        if state.withLock({ !$0.places.contains { $0 === place } }) { ports?.remove(place) }
    }

    /// Leaves a loop whose thread ends, and ends the port with it if it was scheduled nowhere else.
    func loopEnds(at place: PortPlace, named name: String) {
        let modes = state.withLock { $0.modes(of: place) }
        for mode in modes {
            place.loop.remove(self, forMode: mode)
            // If it was scheduled there without the loop's knowledge.
            remove(from: place.loop, forMode: mode)
        }
        let (isLast, waiting) = state.withLock { ($0.places.isEmpty, $0.mail.count) }
        // A port that was removed in time may still be used elsewhere.
        if modes.isEmpty || !isLast { return }
        if waiting > 0 {
            NotificationCenter.default.engine.report(
                DeliveryProblem(
                    .undeliverable,
                    "thread \(name) ended with \(waiting) \(waiting == 1 ? "message" : "messages") "
                        + "waiting in a port, which will not be delivered",
                    count: waiting))
        }
        invalidate()
    }
}

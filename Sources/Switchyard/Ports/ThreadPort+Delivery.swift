// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
internal import SwitchyardCore

// MARK: - Receiving

extension ThreadPort {
    /// Gives the delegate the messages that wait. One turn of a run loop, on its thread.
    private func takeTurn() {
        guard let turn = state.withLock({ $0.beginTurn() }) else { return }
        let end = TurnEnd(self)
        ThreadEnd.notify(end)
        defer { ThreadEnd.forget(end) }
        turn.wakeUp.wake()
        while let next = state.withLock({ $0.next(in: turn) }) {
            next.admitted?.wake()
            next.receiver.receive(next.mail.message(receivedBy: self))
        }
        state.withLock { $0.endTurn() }.wake()
    }
}

/// Ends a port's turn on a thread when a delegate ends that thread, also if the port has left the
/// thread's loop. Another loop then takes the messages that are left.
private final class TurnEnd: EndsWithThread {
    private let port: ThreadPort

    init(_ port: ThreadPort) { self.port = port }

    func threadEnds() { port.state.withLock { $0.threadEnds() }.wake() }
}

// MARK: - Run loops

extension ThreadPort {
    /// Receives on the loop of `schedule` in `mode`; false if the port is invalid.
    func enter(_ schedule: PortSchedule, _ mode: RunLoop.Mode) -> Bool {
        switch state.withLock({ $0.enter(schedule, mode) }) {
        case .isInvalid:
            return false
        case .entered(let wakeUp):
            wakeUp.wake()
            return true
        case .unattached(let schedule):
            if schedule.isMain || schedule.loop === RunLoop.current {
                attach(schedule)
            } else {
                attachFromElsewhere(schedule, mode)
            }
            return true
        }
    }

    /// Has the loop attach the port when it next runs in `mode`.
    private func attachFromElsewhere(_ schedule: PortSchedule, _ mode: RunLoop.Mode) {
        schedule.loop.perform(inModes: [mode]) { [weak self, weak schedule] in
            if let self, let schedule { attach(schedule) }
        }
        schedule.loop.wakeFromElsewhere(inModes: [mode])
    }

    /// Connects the port with the loop of `schedule`: the calling thread's, or main.
    private func attach(_ schedule: PortSchedule) {
        let receive = { [weak self] in
            if let self { takeTurn() }
        }
        let source =
            schedule.isMain
            ? RunLoopSource.onMain(inModes: [], perform: receive)
            : RunLoopSource(inModes: [], perform: receive)
        let ports = schedule.isMain ? nil : PortsOfThread.current
        ports?.add(schedule, of: self)
        let (isUsed, wakeUp) = state.withLock { state in
            let (isUsed, wakeUp) = state.attach(schedule, source)
            if isUsed { schedule.owner = ports.map { (switchyard_thread_token(), $0) } }
            return (isUsed, wakeUp)
        }
        if isUsed { return wakeUp.wake() }
        source.invalidate()
        if state.withLock({ !$0.schedules.contains { $0 === schedule } }) {
            ports?.remove(schedule)
        }
    }
}

// MARK: - The end of a thread

extension ThreadPort: ScheduledPort {
    var lastNumber: UInt64 { state.withLock(\.lastNumber) }

    func waiting(
        on schedule: PortSchedule, in modes: Set<RunLoop.Mode>, upTo last: UInt64
    ) -> Int {
        state.withLock { $0.waiting(on: schedule, in: modes, upTo: last) }
    }

    func loopEnds(_ schedule: PortSchedule, named name: String) {
        let modes = state.withLock { $0.modes(of: schedule) }
        for mode in modes {
            schedule.loop.remove(self, forMode: mode)
            // This also ends a schedule that the loop does not know of.
            remove(from: schedule.loop, forMode: mode)
        }
        // A delegate may have ended the thread: another loop takes the messages that are left.
        state.withLock { $0.threadEnds() }.wake()
        // A port that was removed in time may still be used elsewhere.
        if modes.isEmpty { return }
        // Ended before the report: messages that come meanwhile are refused, so that their senders
        // know.
        guard let end = state.withLock({ $0.schedules.isEmpty ? $0.end() : nil }) else { return }
        finish(end, because: "thread \(name) ended")
    }

    /// Tells everybody that the port has become invalid.
    ///
    /// - Parameter reason: the reason, if the port has become invalid by itself: messages that
    ///   waited are reported then.
    func finish(_ end: PortState.End, because reason: String? = nil) {
        for sender in end.senders { sender.wake() }
        for schedule in end.schedules { schedule.leave() }
        if let reason { reportLoss(of: end.mail.count, reason) }
        FoundationCenter.default.post(
            name: Port.didBecomeInvalidNotification, object: self)
    }

    private func reportLoss(of count: Int, _ reason: String) {
        if count == 0 { return }
        NotificationCenter.default.engine.report(
            DeliveryProblem(
                .undeliverable,
                "\(reason) with \(count) \(count == 1 ? "message" : "messages") waiting in a port, which will not be "
                    + "delivered",
                count: count))
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
@_spi(Engine) internal import SwitchyardCore

// Drains: which posts a call of the run loop takes, and the calls for what is left.
extension ThreadPostQueueState {
    /// Begins a drain of the lanes that a mode is in; nil if nothing waits there.
    mutating func beginDrain(
        _ style: LaneStyle, _ mode: RunLoop.Mode, isCommon: (RunLoop.Mode) -> Bool
    ) -> Drain? {
        var drain = Drain(limit: lastSequence)
        for lane in lanes.indices {
            guard modes[lane].contains(mode, isCommon: isCommon(mode)) else { continue }
            requests.passComes(to: lane)
            guard lanes[lane].style == style else { continue }
            if requests.drainComes(to: lane, isEmpty: lanes[lane].isEmpty) { drain.add(lane: lane) }
        }
        if drain.isEmpty { return nil }
        requests.drainBegan()
        return drain
    }

    /// Has the loop called for every lane that is not empty, before the handlers of a drain run:
    /// for a run loop inside a handler, and for entries that come meanwhile.
    mutating func requestAgain() -> [DrainRequest] {
        var again: [DrainRequest] = []
        for lane in lanes.indices {
            if let number = requests.handlersRun(lane, isEmpty: lanes[lane].isEmpty),
                let request = request(lane, number)
            {
                again.append(request)
            }
        }
        return again
    }

    /// The next post of a drain, first in, first out over its lanes, and its center, if that is
    /// another than the last one's; nil ends the drain.
    @inline(__always)
    mutating func next(
        _ drain: Drain, after last: NotificationCenter?, _ other: inout NotificationCenter?
    ) -> QueuedPost? {
        let slot = drain.onlyLane >= 0 ? lanes[drain.onlyLane].first : first(of: drain.lanes)
        guard slot >= 0, pending.slots[Int(slot)].sequence <= drain.limit else {
            requests.drainEnded()
            return nil
        }
        let queueID = pending.slots[Int(slot)].queueID
        let post = remove(slot)
        if pending.count == 0 { becameEmpty() }
        queues.took(from: queueID, after: last, &other)
        return .some(post)
    }

    @inline(never)
    private func first(of lanes: [Int]) -> Int32 {
        var first: Int32 = -1
        var sequence = UInt64.max
        for lane in lanes where !self.lanes[lane].isEmpty {
            let candidate = self.lanes[lane].first
            if pending.slots[Int(candidate)].sequence < sequence {
                first = candidate
                sequence = pending.slots[Int(candidate)].sequence
            }
        }
        return first
    }

    /// Whether to send the block for whenIdle to the main queue, which stands for the default mode.
    mutating func wantsIdleHop() -> Bool {
        let idle = lanes.indices.filter { lane in
            lanes[lane].style == .whenIdle
                && modes[lane].contains(.default, isCommon: true)
        }
        return requests.wantsIdleHop(forAny: idle)
    }
}

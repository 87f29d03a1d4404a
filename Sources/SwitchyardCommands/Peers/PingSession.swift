// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardDistributed
internal import Synchronization

/// One run of `ping`: asks processes, one after the other, and prints what they took.
struct PingSession {
    let center: DistributedNotificationCenter
    /// How often to ask each.
    let count: Int
    /// How long to wait for an answer.
    let within: TimeLimit
    let asJSON: Bool
    /// Ctrl-C: what was found out until then is printed.
    let interrupt: Interrupt
    let output = OutputBuffer()
    /// Whether one has answered at all.
    private(set) var hasAnswer = false
    /// Whether one did not answer in time.
    private(set) var hasSilence = false

    init(
        _ center: DistributedNotificationCenter, count: Int, within: TimeLimit, asJSON: Bool,
        _ interrupt: Interrupt
    ) {
        self.center = center
        self.count = count
        self.within = within
        self.asJSON = asJSON
        self.interrupt = interrupt
    }

    /// Asks these, until Ctrl-C.
    ///
    /// - Parameter roll: says which of them are known to be silent.
    mutating func ask(_ wanted: [DistributedPeerStatus], _ roll: Roll) {
        for (index, status) in wanted.enumerated() where output.failure == nil {
            if interrupt.isRaised {
                Notices.ping.say("not asked any more: \(wanted[index...].map(\.peer).titles)")
                return
            }
            let times = roll.answers(status) ? ask(status.peer) : PingTimes(asked: 1)
            report(times, of: status.peer)
            output.flush()
        }
    }

    /// Asks a process, one time after another, until it does not answer.
    private func ask(_ peer: DistributedPeer) -> PingTimes {
        let record = PingRecord(asked: count)
        _ = blocking(unless: interrupt) { [center, count, within] in
            for _ in 0..<count {
                guard let time = await center.ping(peer, within: within.duration) else { return }
                record.add(time)
            }
        }
        return record.times
    }

    private mutating func report(_ times: PingTimes, of peer: DistributedPeer) {
        if times.isComplete || interrupt.isRaised && !times.isEmpty {
            hasAnswer = true
            output.append { times.print(peer, asJSON: asJSON, to: &$0) }
        } else if interrupt.isRaised {
            Notices.ping.say("\(peer.title) had not answered yet")
        } else {
            hasSilence = true
            Notices.ping.say("\(peer.title) did not answer within \(within)" + times.words)
        }
    }
}

/// Times that come on another thread than the one that reads them.
private final class PingRecord: Sendable {
    private let all: Mutex<PingTimes>

    init(asked: Int) { all = Mutex(PingTimes(asked: asked)) }

    /// Those until now.
    var times: PingTimes { all.withLock { $0 } }

    func add(_ time: Duration) { all.withLock { $0.add(time) } }
}

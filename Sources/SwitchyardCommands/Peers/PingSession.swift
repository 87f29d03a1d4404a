// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardConsole
internal import SwitchyardCore
internal import SwitchyardDistributed

/// One run of `ping`: asks processes one after the other, and prints how long each took to answer.
struct PingSession {
    let center: DistributedNotificationCenter
    /// The number of questions to each process.
    let count: Int
    /// The time to wait for an answer.
    let limit: TimeLimit
    let asJSON: Bool
    /// Raised by Ctrl-C, which ends the asking; the results until then are printed.
    let interrupt: Interrupt
    let output = OutputBuffer()
    /// Whether any process has answered.
    private(set) var hasAnswer = false
    /// Whether any process did not answer in time.
    private(set) var hasSilence = false

    init(
        _ center: DistributedNotificationCenter, count: Int, within limit: TimeLimit, asJSON: Bool,
        _ interrupt: Interrupt
    ) {
        self.center = center
        self.count = count
        self.limit = limit
        self.asJSON = asJSON
        self.interrupt = interrupt
    }

    /// Asks each process in turn. Ctrl-C ends it.
    ///
    /// - Parameter survey: the survey that says which processes are silent.
    mutating func ask(_ wanted: [DistributedPeerStatus], _ survey: PeerSurvey) throws {
        for (index, status) in wanted.enumerated() where output.failure == nil {
            if interrupt.isRaised {
                let left = wanted[index...].map(\.peer).titles
                StandardErrorLog.ping.say("not asked any more: \(left)")
                return
            }
            let times = survey.answers(status) ? ask(status.peer) : PingTimes(asked: 1)
            try report(times, of: status.peer)
            output.flush()
        }
    }

    /// Asks a process repeatedly, until it does not answer.
    private func ask(_ peer: DistributedPeer) -> PingTimes {
        let record = PingRecord(asked: count)
        _ = blocking(unless: interrupt) { [center, count, limit] in
            for _ in 0..<count {
                guard let time = await center.ping(peer, within: limit.duration) else { return }
                record.add(time)
            }
        }
        return record.times
    }

    private mutating func report(_ times: PingTimes, of peer: DistributedPeer) throws {
        if times.isComplete || interrupt.isRaised && !times.isEmpty {
            hasAnswer = true
            output.append(Array("\(try times.line(about: peer, asJSON: asJSON))\n".utf8))
        } else if interrupt.isRaised {
            StandardErrorLog.ping.say("\(peer.title) had not answered yet")
        } else {
            hasSilence = true
            StandardErrorLog.ping.say("\(peer.title) did not answer within \(limit)" + times.words)
        }
    }
}

/// Answer times that one thread records and another one reads.
private final class PingRecord: Sendable {
    private let all: Guarded<PingTimes>

    init(asked: Int) { all = Guarded(PingTimes(asked: asked)) }

    /// The times recorded so far.
    var times: PingTimes { all.withLock { $0 } }

    func add(_ time: Duration) { all.withLock { $0.add(time) } }
}

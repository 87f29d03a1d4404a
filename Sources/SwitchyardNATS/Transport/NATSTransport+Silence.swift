// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardDistributed

// Processes that have gone while somebody hears everything: the server does not say that they have.
extension NATSTransport {
    /// Records that processes have not answered a question.
    ///
    /// - Parameter start: the time of the question.
    /// - Returns: The ids of those that have been silent for long. They have gone if somebody hears
    ///   everything. If not, the server would have said that they have gone: they are stopped.
    func silentForLong(_ processes: [String], since start: ContinuousClock.Instant) -> [String] {
        guard isConnected else { return [] }
        return peerTable.withLock { table in
            processes.filter { table.silences.note($0, since: start, at: .now) }
        }
    }

    /// Takes note of the processes that have gone among those that have not answered a question.
    /// Blocks if one has been silent for long.
    ///
    /// - Returns: The ids of those that have gone.
    func noteGone(among processes: [String], since start: ContinuousClock.Instant) -> [String] {
        let silent = silentForLong(processes, since: start)
        if silent.isEmpty || !somebodyHearsAll() { return [] }
        for id in silent { noteGone(id) }
        return silent
    }

    /// Returns whether a client hears the questions to all processes. Blocks, for two seconds at most
    /// once the server has taken a question.
    ///
    /// Asks a process that does not exist. If nobody hears that, the server says so before it
    /// confirms that it has taken the question.
    func somebodyHearsAll() -> Bool {
        let isUnheard = ThreadSignal()
        let number = ask(HexDigits.text16(UInt64.random(in: 0 ... .max))) { announcement in
            if announcement == nil { isUnheard.raise() }
        }
        defer { endQuestion(number) }
        guard let session, session.flush(within: 5_000), self.session === session else {
            return false
        }
        return !isUnheard.wait(until: .now + .seconds(2))
    }
}
#endif

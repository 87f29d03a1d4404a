// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
internal import SwitchyardWire
internal import Synchronization

// The end of connections, and the memory of them.
extension Mesh {
    /// Ends the connection to a peer that breaks the protocol. Tells the peer why, and the problem
    /// hook.
    func refuse(_ connection: MeshConnection, because error: any Error) {
        if error is PeerSaidBye {
            report("\(error)", of: connection) { "\($0): \(error)" }
            return close(connection, isFinal: true)
        }
        close(connection, because: "\(error)")
    }

    func close(_ connection: MeshConnection, because reason: String) {
        var frame = ByteWriter()
        frame.bye(reason)
        state.withLock { state in frame.withBytes { write($0, to: connection, &state) } }
        report(reason, of: connection) { "the connection to \($0) was ended: \(reason)" }
        close(connection, isFinal: true)
    }

    /// Reports why a connection was ended: once for each reason, until the peer has accepted this
    /// member. Peers that do not understand each other go on trying.
    private func report(
        _ reason: String, of connection: MeshConnection, _ text: (_ peer: String) -> String
    ) {
        let (peer, address) = state.withLock { _ in
            (connection.peer?.description, (connection as? Outlet)?.address)
        }
        if let address, reportedEnds.withLock({ $0.updateValue(reason, forKey: address) }) == reason
        {
            return
        }
        intake?.report(problem: text(peer ?? "process \(connection.process)"))
    }

    /// Closes a connection and forgets it. The descriptor is closed when the last reference is
    /// gone.
    ///
    /// - Parameter isFinal: Whether nobody is to wait for a new connection to this peer.
    func close(_ connection: MeshConnection, isFinal: Bool = false) {
        poller.forget(connection.descriptor)
        var redial: (address: String, wasAccepted: Bool)?
        var questions: [Questions.Answer] = []
        var loss: DistributedLoss?
        var left: String?
        update { state in
            guard !connection.isClosed else { return }
            connection.isClosed = true
            state.connections[connection.token] = nil
            if let inlet = state.inlets.removeValue(forKey: connection.token) {
                state.forgetPoster(of: inlet)
                loss = self.settle(inlet, &state)
                self.remember(inlet, &state)
                left = self.posterThatLeft(with: inlet, state)
            }
            state.toWrite.removeAll { $0 === connection }
            if let outlet = connection as? Outlet {
                self.forget(outlet, isFinal, &state)
                // Together with that: a job that is given to the process from now on waits for it.
                intake?.isAway(outlet.address)
                questions = state.questions.takeAll(on: outlet.token)
                redial = (outlet.address, outlet.hasSaidWhatItWants)
            }
        }
        for answer in questions { answer(nil) }
        if let loss { intake?.report(loss) }
        if let left { intake?.hasGone(left) }
        connection.breakOff()
        resumeListener()
        // The peer has most likely gone. The next attempt to connect finds out, and then removes
        // the peer's socket.
        guard let redial else { return }
        if redial.wasAccepted {
            redials.addAnew(redial.address)
        } else {
            redials.add(redial.address)
        }
    }

    private func forget(_ outlet: Outlet, _ isFinal: Bool, _ state: inout MeshState) {
        state.routes.forgetAll()
        guard state.outlets[outlet.address] === outlet else { return }
        state.outlets[outlet.address] = nil
        if outlet.hasSaidWhatItWants {
            // The peer may live, and connect again: keep notifications for it until then.
            state.backlogs[outlet.address] = PeerBacklog(
                peer: outlet.peer,
                PeerBacklog.Connection(
                    number: outlet.token, sent: outlet.counts.nextSequence - 1,
                    unwritten: outlet.counts.lostSinceTold
                        + outlet.queue.notificationsThatWait(with: outlet.batch),
                    reported: outlet.counts.lost - outlet.counts.lostSinceTold))
        }
        if isFinal { state.backlogs[outlet.address]?.isAwaited = false }
    }

    /// Returns the id of a poster that has gone with its last connection. The other posters have
    /// gone when they can't be connected to any more; this one has no address, or was given up
    /// there.
    private func posterThatLeft(with inlet: Inlet, _ state: borrowing MeshState) -> String? {
        guard let id = inlet.peer?.id, state.outlets[id] == nil, state.backlogs[id] == nil,
            redials.tries(for: id) == 0, !state.isHeard(id)
        else { return nil }
        return id
    }

    /// Notes how many notifications came from a peer that may connect again.
    func remember(_ inlet: Inlet, _ state: inout MeshState) {
        if inlet.isSuperseded { return }
        // Other peers have gone, or can't be found again.
        guard let id = inlet.peer?.id, state.outlets[id] != nil || state.backlogs[id] != nil
        else { return }
        let heard = inlet.expected.load(ordering: .relaxed) - 1
        // A connection that broke before it brought anything says nothing about the one before it.
        if heard > 0 || state.heardBefore[id] == nil {
            state.heardBefore[id] = HeardCount(
                count: heard, connection: inlet.number, missing: inlet.missed)
        }
    }
}

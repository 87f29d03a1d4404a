// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation

// What ends a connection, and what is left of it.
extension Mesh {
    /// Ends the connection to somebody who does not keep to the protocol, and tells both why.
    func refuse(_ connection: MeshConnection, because error: any Error) {
        if error is PeerSaidBye {
            let known = state.withLock { _ in connection.peer?.description }
            intake?.report(problem: "\(known ?? "process \(connection.process)"): \(error)")
            return close(connection)
        }
        close(connection, because: "\(error)")
    }

    func close(_ connection: MeshConnection, because reason: String) {
        var frame = ByteWriter()
        frame.bye(reason)
        let peer = state.withLock { state in
            frame.withBytes { write($0, to: connection, &state) }
            return connection.peer?.description
        }
        intake?.report(
            problem:
                "the connection to \(peer ?? "process \(connection.process)") was ended: \(reason)")
        close(connection)
    }

    /// Forgets a connection. Its descriptor is closed when nobody uses it any more.
    func close(_ connection: MeshConnection) {
        poller.forget(connection.descriptor)
        var redial: String?
        var questions: [Questions.Answer] = []
        update { state in
            guard !connection.isClosed else { return }
            connection.isClosed = true
            state.connections[connection.token] = nil
            state.inlets[connection.token] = nil
            state.toWrite.removeAll { $0 === connection }
            if let outlet = connection as? Outlet {
                self.forget(outlet, &state)
                questions = state.questions.takeAll(on: outlet.token)
                redial = outlet.address
            }
        }
        for answer in questions { answer(nil) }
        connection.breakOff()
        resumeListener()
        // It has gone, most likely; then this is how its socket goes, too.
        if let redial { redials.add(redial) }
    }

    private func forget(_ outlet: Outlet, _ state: inout MeshState) {
        state.routes.forgetAll()
        if !outlet.hasSaidWhatItWants { state.undecidedOutlets -= 1 }
        if state.outlets[outlet.address] === outlet { state.outlets[outlet.address] = nil }
        let lost = outlet.counts.lostSinceTold + outlet.queue.notificationsThatWait
        if lost > 0 { state.lostBefore[outlet.address] = lost }
    }
}

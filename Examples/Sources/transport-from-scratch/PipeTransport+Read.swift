// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwitchyardDistributed

// Reading. One thread reads everything, so that the intake gets it in order.
extension PipeTransport {
    func read() {
        var reader = LineReader(input)
        do {
            while let json = try reader.next() { try take(WireLine(json: json)) }
            hasEnded(nil)
        } catch {
            // Later lines may depend on this one, so the wire can't be used any more.
            hasEnded("the wire is given up at line \(reader.count): \(error)")
        }
    }

    private func take(_ line: WireLine) throws {
        let (intake, peer) = state.withLock { ($0.intake, $0.peer) }
        // Without an intake, the transport is stopped. The rest is read only to find the end.
        guard let intake else { return }
        if case .hello(let id, let process, let name, let interests) = line {
            if peer != nil { throw WireError("a second hello") }
            let peer = DistributedPeer(id: id, processIdentifier: process, processName: name)
            return hasCome(peer, wanting: interests.map(\.interest), intake)
        }
        guard let peer else { throw WireError("the hello is missing") }
        switch line {
        case .hello: break
        case .interest(let change, let isObserved):
            let interest = change.interest
            state.withLock { state in
                if isObserved {
                    state.outbox.interests?.insert(interest)
                } else {
                    state.outbox.interests?.remove(interest)
                }
            }
            intake.hasChanged(peer, interest, isObserved: isObserved)
        case .notification(let notification, let number):
            let notification = try notification.incoming(from: peer, number: number)
            try count(notification, intake)
            intake.receive(notification)
        case .question(let number):
            state.withLock { $0.outbox.add(.line(.answer(number: number))) }
            wake()
        case .answer(let number): endWait(number, isDone: true)
        }
    }

    private func hasCome(
        _ peer: DistributedPeer, wanting interests: [DistributedInterest],
        _ intake: DistributedIntake
    ) {
        state.withLock { state in
            state.peer = peer
            state.outbox.interests = Set(interests)
        }
        // Called before the first notification is received: groups here leave the choice of a
        // member to the process that posts.
        intake.chooses(peer)
        intake.hasCome(peer, wanting: interests)
        wake()
    }

    /// Takes note of a notification's number. A gap shows those that the other process dropped
    /// because this one did not read.
    private func count(_ notification: IncomingNotification, _ intake: DistributedIntake) throws {
        let number = notification.sequence
        let last = state.withLock { state in
            defer { state.lastReceived = max(state.lastReceived, number) }
            return state.lastReceived
        }
        guard number > last else {
            throw WireError("notification \(number) comes after notification \(last)")
        }
        let gap = number - last - 1
        if gap == 0 { return }
        intake.report(
            DistributedLoss(peer: notification.sender, direction: .incoming, count: gap))
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
internal import SwitchyardWire
internal import Synchronization

extension Mesh {
    /// Joins the mesh: listens, publishes its address, and only then looks for others. Of two
    /// members that join at once, the one that looks later finds the other, so no pair is missed.
    func join() throws {
        try take(network.listen(as: greeting.address))
        try network.publish(greeting.address)
        watchAddress()
        for address in try network.addresses() where address != greeting.address {
            connect(to: address)
        }
    }

    private func take(_ listener: Int32) throws(DistributedCenterError) {
        self.listener = listener
        _ = switchyard_fork_closes(listener)
        if !poller.watch(listener, as: Self.listenerToken, reads: true) {
            throw DistributedCenterError(.outOfDescriptors, Poller.advice)
        }
    }

    /// Connects to a member, unless there is a connection already.
    func connect(to address: String) {
        let isKnown = state.withLock { $0.isStopped || $0.outlets[address] != nil }
        if isKnown { return }
        let descriptor = network.connect(to: address)
        if descriptor >= 0 { return greet(descriptor, at: address) }
        switch -descriptor {
        case ENOENT where state.withLock({ $0.isHeard(address) }):
            // Its socket was removed, and it puts it back.
            awaitMember(at: address)
        case ECONNREFUSED, ENOENT:
            // The member has gone: no address is used twice.
            forget(address)
            // ENOENT: the name is not there, and needs no removal. Should it appear after all, its
            // member lives.
            if descriptor == -ECONNREFUSED { network.withdraw(address) }
        case EAGAIN, EINTR: awaitMember(at: address)
        case EMFILE, ENFILE, ENOMEM, ENOBUFS:
            // One shortage is reported once, however many members can't be connected to because of
            // it.
            if unreachable.values.contains(descriptor) { unreachable[address] = descriptor }
            reportUnreachable(address, descriptor)
            awaitMember(at: address)
        default:
            // The member may live, and its permissions be set right later.
            reportUnreachable(address, descriptor)
            keepTrying(address)
        }
    }

    /// Reports why a member can't be connected to, once for each reason.
    private func reportUnreachable(_ address: String, _ error: Int32) {
        if unreachable.updateValue(error, forKey: address) == error { return }
        intake?.report(
            problem:
                "this process can't connect to the one at \(network.location)/\(address), and tries again for some minutes: "
                + DistributedCenterError.text(for: error))
    }

    private func greet(_ descriptor: Int32, at address: String) {
        _ = switchyard_fork_closes(descriptor)
        let process: Int32
        do {
            process = try network.process(behind: descriptor)
        } catch {
            intake?.report(problem: "a peer was refused: \(error)")
            switchyard_fork_close(descriptor)
            return forget(address)
        }
        // The outlet closes the descriptor when it is released, also if it turns out not to be
        // needed.
        let outlet = Outlet(
            descriptor, token: state.withLock { $0.nextToken() }, process: process,
            address: address)
        guard poller.watch(descriptor, as: outlet.token, reads: true) else {
            intake?.report(
                problem: "there is no connection to process \(process): \(Poller.advice)")
            return awaitMember(at: address)
        }
        unreachable[address] = nil
        state.withLock { state in
            if state.isStopped || state.outlets[address] != nil { return }
            state.outlets[address] = outlet
            state.connections[outlet.token] = outlet
            state.keepForUndecided(address)
            state.routes.forgetAll()
            var frame = ByteWriter()
            greeting.write(to: &frame)
            Farewell.writePromise(to: &frame)
            Farewell.writeChoice(to: &frame)
            frame.frame(.connection, outlet.token)
            frame.withBytes { write($0, to: outlet, &state) }
            sayFarewellIfLeaving(to: outlet, &state)
        }
    }

    /// Accepts waiting connections. Their number is limited, so that their frames are read in
    /// between.
    func accept() {
        for _ in 0..<Self.mostSilent / 4 {
            let descriptor = network.accept(from: listener)
            switch -descriptor {
            case ECONNABORTED: continue
            case EMFILE, ENFILE, ENOMEM, ENOBUFS:
                // The connections wait in the listener's queue until a descriptor is free.
                return pauseListener()
            case 1...: return
            default:
                hasListenerTrouble = false
                admit(descriptor)
            }
        }
    }

    private func pauseListener() {
        isListenerPaused = true
        poller.forget(listener)
        // Report the shortage once, not at each attempt.
        if hasListenerTrouble { return }
        hasListenerTrouble = true
        intake?.report(
            problem: "a process can't connect: this one has as many files open as it may "
                + "(ulimit -n). It is let in when some are closed")
    }

    /// Listens again after a pause, so that waiting processes get in.
    func resumeListener() {
        guard isListenerPaused, !hasStopped.load(ordering: .relaxed) else { return }
        isListenerPaused = !poller.watch(listener, as: Self.listenerToken, reads: true)
    }

    private func admit(_ descriptor: Int32) {
        _ = switchyard_fork_closes(descriptor)
        do {
            let process = try network.process(behind: descriptor)
            let inlet = Inlet(
                descriptor, token: state.withLock { $0.nextToken() }, process: process)
            guard poller.watch(descriptor, as: inlet.token, reads: true) else {
                intake?.report(problem: "process \(process) is not let in: \(Poller.advice)")
                return
            }
            let crowded = state.withLock { state -> Inlet? in
                if state.isStopped { return nil }
                state.inlets[inlet.token] = inlet
                state.connections[inlet.token] = inlet
                // Close the oldest silent connection if there are too many, so that silent
                // processes can't keep others out.
                let silent = state.inlets.values.filter { !$0.isGreeted }
                return silent.count > Self.mostSilent ? silent.min { $0.token < $1.token } : nil
            }
            if let crowded {
                close(crowded, because: "it has not said HELLO, and too many others have not")
            }
        } catch {
            intake?.report(problem: "a peer was refused: \(error)")
            switchyard_fork_close(descriptor)
        }
    }

    /// The most connections that may be open without a greeting.
    private static var mostSilent: Int { 256 }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
internal import Synchronization

extension Mesh {
    /// Becomes a member: listens, lets itself be found, and only then looks for others. Of two that
    /// do this at once, the one that looks later finds the other, so no pair is missed.
    func join() throws {
        try take(network.listen(as: greeting.address))
        try network.publish(greeting.address)
        for address in try network.addresses() where address != greeting.address {
            connect(to: address)
        }
    }

    private func take(_ listener: Int32) throws(MeshError) {
        self.listener = listener
        _ = switchyard_fork_closes(listener)
        if !poller.watch(listener, as: Self.listenerToken, reads: true) {
            throw MeshError(Poller.advice)
        }
    }

    /// Connects to a member, unless there is a connection already.
    func connect(to address: String) {
        let isKnown = state.withLock { $0.isStopped || $0.outlets[address] != nil }
        if isKnown { return }
        let descriptor = network.connect(to: address)
        if descriptor >= 0 { return greet(descriptor, at: address) }
        switch -descriptor {
        case ECONNREFUSED, ENOENT:
            // Nobody listens there any more, nor will again.
            forget(address)
            // What is not there needs not be removed. Should it be there after all, it lives.
            if descriptor == -ECONNREFUSED { network.withdraw(address) }
        case EAGAIN, EINTR, EMFILE, ENFILE, ENOMEM, ENOBUFS: awaitMember(at: address)
        default: forget(address)
        }
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
        // Closes the descriptor when it goes: also when it is not needed.
        let outlet = Outlet(
            descriptor, token: state.withLock { $0.nextToken() }, process: process,
            address: address)
        guard poller.watch(descriptor, as: outlet.token, reads: true) else {
            intake?.report(
                problem: "there is no connection to process \(process): \(Poller.advice)")
            return awaitMember(at: address)
        }
        state.withLock { state in
            if state.isStopped || state.outlets[address] != nil { return }
            state.outlets[address] = outlet
            state.connections[outlet.token] = outlet
            state.keepForUndecided(address)
            state.routes.forgetAll()
            var frame = ByteWriter()
            greeting.write(to: &frame)
            frame.withBytes { write($0, to: outlet, &state) }
        }
    }

    /// Accepts those who connect: not so many at once that what they say can't be read in between.
    func accept() {
        for _ in 0..<Self.mostSilent / 4 {
            let descriptor = network.accept(from: listener)
            switch -descriptor {
            case ECONNABORTED: continue
            case EMFILE, ENFILE, ENOMEM, ENOBUFS:
                // They wait in the listener's queue until a descriptor is free.
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
        // Once, not with each try.
        if hasListenerTrouble { return }
        hasListenerTrouble = true
        intake?.report(
            problem: "a process can't be let in: this one has as many files open as it may "
                + "(ulimit -n); it is let in when there are fewer")
    }

    /// Tries again to let in who waits.
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
                // Those who connect and say nothing can't keep others out.
                let silent = state.inlets.values.filter { !$0.isGreeted }
                return silent.count > Self.mostSilent ? silent.min { $0.token < $1.token } : nil
            }
            if let crowded { close(crowded, because: "it said nothing, and too many others do") }
        } catch {
            intake?.report(problem: "a peer was refused: \(error)")
            switchyard_fork_close(descriptor)
        }
    }

    /// How many may be connected without having said hello.
    private static var mostSilent: Int { 256 }
}

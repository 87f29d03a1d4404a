// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardWire
internal import Synchronization

// Keeps this member's address in place, so that others find it. A cleaner of temporary files may
// remove the socket, and so may the end of the user's last session, which removes the folder with
// it.

extension Mesh {
    /// Watches this member's address. Called on the thread that joins, and on the reading thread.
    func watchAddress() {
        let watch = AddressWatch.descriptor
        isAddressWatched =
            watch >= 0 && network.watch(greeting.address, with: watch)
            && poller.watch(watch, as: Self.addressToken, reads: true)
    }

    /// Has all members of this process check whether others still find them: they share the watch.
    static func addressesChanged() {
        AddressWatch.clear()
        for mesh in MeshExit.all where !mesh.isForked { mesh.lookForAddress() }
    }

    /// Has the reading thread check whether others still find this member. From any thread.
    func lookForAddress() {
        mayBeAbsent.store(true, ordering: .releasing)
        poller.wake()
    }

    /// Checks whether others still find this member, if there is a reason to, and puts a removed
    /// socket back.
    func keepAddress() {
        if absence == nil, !hasReasonToLook { return }
        if absence == nil, network.isFound(as: greeting.address) { return }
        if hasStopped.load(ordering: .acquiring) { return }
        var absence = absence ?? Absence()
        if absence.due <= switchyard_now() {
            do {
                try returnToFolder()
                self.absence = nil
                return hasReturned(after: absence)
            } catch {
                if absence.isWorthReporting {
                    reportAbsence(error)
                    absence.isReported = true
                }
                absence.postpone()
            }
        }
        self.absence = absence
    }

    private var hasReasonToLook: Bool {
        if mayBeAbsent.exchange(false, ordering: .acquiringAndReleasing) { return true }
        if isAddressWatched { return false }
        // Without a watch, no event tells: check once a second, whenever the thread is awake
        // anyway.
        let now = switchyard_now()
        if now - lastLook < 1_000_000_000 { return false }
        lastLook = now
        return true
    }

    /// Listens again, under the same address: connected peers know this member by it.
    private func returnToFolder() throws {
        try network.returnToFolder()
        let fresh = try network.listen(as: greeting.address)
        do {
            try network.publish(greeting.address)
        } catch {
            Foundation.close(fresh)
            throw error
        }
        // Accept the connections that still wait on the old socket.
        accept()
        poller.forget(listener)
        switchyard_fork_close(listener)
        listener = fresh
        _ = switchyard_fork_closes(fresh)
        isListenerPaused = !poller.watch(fresh, as: Self.listenerToken, reads: true)
        watchAddress()
        // If `end()` stopped this member meanwhile, it withdrew the name too early: the name was
        // published again after that.
        if hasStopped.load(ordering: .acquiring) { network.withdraw(greeting.address) }
    }

    /// Reports the absence, connects to members that came meanwhile, and prepares to tell them how
    /// long it lasted.
    private func hasReturned(after absence: Absence) {
        let milliseconds = (switchyard_now() - absence.since) / 1_000_000
        intake?.report(
            DeliveryProblem(
                .unreachable,
                "other processes could not find this one for \(milliseconds) ms, because its socket in "
                    + "\(network.location) was removed: processes that came in that time were not heard. It "
                    + "has joined again"))
        let found = (try? network.addresses()) ?? []
        for address in found where address != greeting.address {
            let isNew = state.withLock { state in
                if state.outlets[address] != nil || state.backlogs[address] != nil { return false }
                state.absences[address] = milliseconds
                return true
            }
            if isNew { connect(to: address) }
        }
    }

    private func reportAbsence(_ error: any Error) {
        intake?.report(
            DeliveryProblem(
                .unreachable,
                "other processes do not find this one, because its socket in \(network.location) was "
                    + "removed, and it cannot join again, which it goes on trying: \(error)"))
    }

    /// Milliseconds to wait at most until the next attempt; negative for no limit.
    var absenceMilliseconds: Int32 {
        guard let absence else { return -1 }
        let now = switchyard_now()
        return absence.due <= now ? 0 : Int32((absence.due - now) / 1_000_000 + 1)
    }
}

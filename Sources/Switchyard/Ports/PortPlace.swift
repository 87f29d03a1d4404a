// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
internal import SwitchyardCore

/// A run loop on which a port is scheduled.
final class PortPlace: @unchecked Sendable {
    // Sendable: what changes is guarded by the port's lock, until the place is left; a loop is only
    // asked to add and remove, which any thread may.

    let loop: RunLoop
    var modes: Set<RunLoop.Mode> = []
    /// The source that calls the port on the loop's thread; nil until it is attached there.
    var source: RunLoopSource?
    /// The loop's thread, and what else ends with it; set on that thread. Nil for the main thread.
    var residence: (thread: UInt, ports: PortsOfThread)?

    init(_ loop: RunLoop) { self.loop = loop }

    var isMain: Bool { loop === RunLoop.main }

    /// Whether the caller is on the loop's thread, which may not know of the place yet.
    var isHere: Bool {
        if let residence { return residence.thread == switchyard_thread_token() }
        return isMain ? Thread.isMainThread : loop === RunLoop.current
    }

    /// Lets go of the loop, when the port has left it.
    func leave(_ port: ThreadPort) {
        // One by one, because that wakes the loop when it is done.
        for mode in modes { source?.remove(mode) }
        source?.invalidate()
        residence?.ports.remove(self)
    }
}

/// The ports that are scheduled on one thread's run loop: they leave it when the thread ends, so that
/// nothing of either is left behind.
final class PortsOfThread: EndsWithThread, Sendable {
    struct Resident {
        weak var port: ThreadPort?
        let place: PortPlace
    }

    /// The thread's name in reports.
    let name = ThreadName.current
    private let residents = Guarded<[ObjectIdentifier: Resident]>([:])

    /// The calling thread's.
    static var current: PortsOfThread {
        if let kept = ThreadEnd.kept(PortsOfThread.self) { return kept }
        let made = PortsOfThread()
        ThreadEnd.notify(made)
        return made
    }

    func add(_ place: PortPlace, of port: ThreadPort) {
        let resident = Resident(port: port, place: place)
        residents.withLock { $0[ObjectIdentifier(place)] = resident }
    }

    func remove(_ place: PortPlace) {
        // Out of the lock, in case that it was the last to hold something.
        _ = residents.withLock { $0.removeValue(forKey: ObjectIdentifier(place)) }
    }

    /// A port whose messages a thread that is to end still delivers.
    struct Goal {
        let resident: Resident
        /// The number of the last message that is waited for.
        let last: UInt64

        /// How many of them wait.
        var left: Int {
            resident.port?.state.withLock { $0.waiting(at: resident.place, upTo: last) } ?? 0
        }
    }

    /// The ports of the calling thread, each with what waits there and so many messages more.
    static func goals(after grace: Int) -> [Goal] {
        guard let known = ThreadEnd.kept(PortsOfThread.self) else { return [] }
        return known.residents.withLock { Array($0.values) }.map { resident in
            let last = resident.port?.state.withLock { $0.lastNumber } ?? 0
            return Goal(resident: resident, last: last + UInt64(grace))
        }
    }

    func threadEnds() {
        for resident in residents.exchange([:]).values {
            resident.port?.loopEnds(at: resident.place, named: name)
        }
    }
}

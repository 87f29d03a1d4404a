// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
internal import SwitchyardCore

/// A port's schedule on one run loop.
final class PortSchedule: @unchecked Sendable {
    // Sendable: the port's lock guards the variables until the port has left the loop. The loop is
    // only asked to add and remove sources, which any thread may do.

    let loop: RunLoop
    /// The modes in which the port receives.
    var modes: Set<RunLoop.Mode> = []
    /// The source that calls the port on the loop's thread; nil until it is attached there.
    var source: RunLoopSource?
    /// The loop's thread, and the list of the ports that end with it; set on that thread. Nil for
    /// the main thread.
    var owner: (thread: UInt, ports: PortsOfThread)?

    init(_ loop: RunLoop) { self.loop = loop }

    var isMain: Bool { loop === RunLoop.main }

    /// Whether the caller is on the loop's thread, which may not know of the schedule yet.
    var isOnThread: Bool {
        if let owner { return owner.thread == switchyard_thread_token() }
        return isMain ? Thread.isMainThread : loop === RunLoop.current
    }

    /// Lets go of the loop, when the port has left it.
    func leave() {
        // One by one, because that wakes the loop when it is done.
        for mode in modes { source?.remove(mode) }
        source?.invalidate()
        owner?.ports.remove(self)
    }
}

/// A port as the threads of its run loops see it.
protocol ScheduledPort: AnyObject, Sendable {
    /// The number of the last message that waits.
    var lastNumber: UInt64 { get }

    /// The number of messages numbered up to `last` that wait for a loop that runs in one of
    /// `modes`, and for a delegate to hear them.
    func waiting(
        on schedule: PortSchedule, in modes: Set<RunLoop.Mode>, upTo last: UInt64
    ) -> Int

    /// Leaves a loop whose thread ends, and ends the port with it if it was scheduled nowhere else.
    func loopEnds(_ schedule: PortSchedule, named name: String)
}

/// The ports that are scheduled on one thread's run loop: they leave it when the thread ends, so
/// that nothing of either is left behind.
final class PortsOfThread: EndsWithThread, Sendable {
    struct Entry {
        weak var port: (any ScheduledPort)?
        let schedule: PortSchedule
    }

    /// The thread's name in reports.
    let name = ThreadName.current
    private let entries = Guarded<[ObjectIdentifier: Entry]>([:])

    /// The ports of the calling thread.
    static var current: PortsOfThread {
        if let kept = ThreadEnd.kept(PortsOfThread.self) { return kept }
        let made = PortsOfThread()
        ThreadEnd.notify(made)
        return made
    }

    func add(_ schedule: PortSchedule, of port: any ScheduledPort) {
        let entry = Entry(port: port, schedule: schedule)
        entries.withLock { $0[ObjectIdentifier(schedule)] = entry }
    }

    func remove(_ schedule: PortSchedule) {
        // Released outside of the lock, because the schedule may have been the last to hold
        // something.
        _ = entries.withLock { $0.removeValue(forKey: ObjectIdentifier(schedule)) }
    }

    /// A port whose messages a thread that is to end still delivers.
    struct Goal {
        let entry: Entry
        /// The number of the last message that is waited for.
        let last: UInt64

        /// The number of messages up to that one that wait for a loop that runs in one of `modes`.
        func left(in modes: Set<RunLoop.Mode>) -> Int {
            entry.port?.waiting(on: entry.schedule, in: modes, upTo: last) ?? 0
        }
    }

    /// Returns what the ports of the calling thread, but for those of `known`, still deliver before
    /// the thread ends: of each, the waiting messages and at most `grace` more.
    static func goals(after grace: Int, besides known: [Goal] = []) -> [Goal] {
        guard let ports = ThreadEnd.kept(PortsOfThread.self) else { return [] }
        let known = Set(known.map { ObjectIdentifier($0.entry.schedule) })
        return ports.entries.withLock { Array($0) }.compactMap { id, entry in
            if known.contains(id) { return nil }
            return Goal(entry: entry, last: (entry.port?.lastNumber ?? 0) + UInt64(grace))
        }
    }

    func threadEnds() {
        // A port tells of its end, which is the user's code.
        ResumableLoop(over: Array(entries.exchange([:]).values)) { [name] entry in
            entry.port?.loopEnds(entry.schedule, named: name)
        }.run()
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Synchronization

/// The centers of this process, for tools that look at it from outside.
package enum CenterDirectory {
    private struct Entry {
        let number: UInt64
        var name: String?
        // Registries are not retained, so that posting threads count no reference beside a weak
        // one. A center takes its registry out, under the lock, before it lets go of it.
        let registry: Unmanaged<Registry>
    }

    private struct State: @unchecked Sendable {
        // Sendable: behind the lock.
        var entries: [UInt: Entry] = [:]
        var last: UInt64 = 0
        /// The number of watchers that have deliveries on the posting thread counted.
        var counters = 0
        /// The number of watchers that have posts traced.
        var tracers = 0
        /// Listeners to the problems of all centers.
        var listeners: [CenterListener] = []
        /// The number of forks before this process came to use this.
        private var generation = switchyard_fork_generation()

        /// Forgets the watchers in a forked child, which are its parent's. Call it before the
        /// numbers of watchers are used.
        mutating func forgetParent() {
            if generation == switchyard_fork_generation() { return }
            generation = switchyard_fork_generation()
            (counters, tracers) = (0, 0)
            TraceSampling.isOn = false
        }
    }

    private static let state = {
        let state = Guarded(State())
        state.holdAcrossForks()
        // Behind this lock, under which they are taken, and before anybody can hold it.
        TraceRing.holdAcrossForks()
        CallSites.holdAcrossForks()
        TraceTopics.holdAcrossForks()
        return state
    }()

    static func add(_ registry: Registry) {
        state.withLock { state in
            state.forgetParent()
            state.last += 1
            state.entries[registry.identity] = Entry(
                number: state.last, registry: .passUnretained(registry))
            if state.counters > 0 { registry.hooks.isWatched = true }
            if state.tracers > 0 { registry.hooks.traces = true }
            for listener in state.listeners { registry.hooks.add(listener) }
        }
    }

    /// Tells `listener` of the problems of all centers, also of those created later.
    package static func add(_ listener: CenterListener) {
        state.withLock { state in
            state.listeners.append(listener)
            for entry in state.entries.values {
                entry.registry._withUnsafeGuaranteedRef { $0.hooks.add(listener) }
            }
        }
    }

    /// Tells `listener` nothing more. The caller keeps it.
    package static func remove(_ listener: CenterListener) {
        state.withLock { state in
            state.listeners.removeAll { $0 === listener }
            for entry in state.entries.values {
                entry.registry._withUnsafeGuaranteedRef { $0.hooks.remove(listener) }
            }
        }
    }

    static func remove(_ registry: Registry) {
        _ = state.withLock { $0.entries.removeValue(forKey: registry.identity) }
    }

    static func setName(_ name: String, of registry: Registry) {
        state.withLock { $0.entries[registry.identity]?.name = name }
    }

    /// The number of a center; 0 once it has gone.
    static func number(of registry: Registry) -> UInt64 {
        state.withLock { $0.entries[registry.identity]?.number ?? 0 }
    }

    /// The centers there are, in the order in which they were created.
    package static var centers: [InspectedCenter] {
        state.withLock { state in
            state.entries.values.sorted { $0.number < $1.number }.map { entry in
                InspectedCenter(
                    number: entry.number, name: entry.name ?? "center \(entry.number)",
                    registry: entry.registry.takeUnretainedValue())
            }
        }
    }

    /// Has all centers count the deliveries that are made on the posting thread, also those created
    /// later, until ``endCounting()`` was called as often.
    package static func beginCounting() { count(1) }

    package static func endCounting() { count(-1) }

    /// Has posts of all centers traced, also of those created later, until ``endTracing(_:)`` was
    /// called as often.
    ///
    /// - Returns: The process that traces, as forked children are told apart.
    @discardableResult
    package static func beginTracing() -> UInt64 {
        trace(1)
        return switchyard_fork_generation()
    }

    /// Ends what ``beginTracing()`` began. In a forked child, what its parent began has ended.
    package static func endTracing(_ process: UInt64) {
        if process == switchyard_fork_generation() { trace(-1) }
    }

    private static func trace(_ change: Int) {
        state.withLock { state in
            state.forgetParent()
            state.tracers += change
            let traces = state.tracers > 0
            if TraceSampling.isOn == traces { return }
            // Names of a parent process, or of a thread that was late.
            if traces { TraceTopics.giveUp() }
            TraceSampling.isOn = traces
            for entry in state.entries.values {
                entry.registry._withUnsafeGuaranteedRef { $0.hooks.traces = traces }
            }
            if traces { return }
            for ring in TraceRing.all { ring.empty() }
            CallSites.giveUp()
            TraceTopics.giveUp()
        }
    }

    private static func count(_ change: Int) {
        state.withLock { state in
            state.forgetParent()
            state.counters += change
            let isCounting = state.counters > 0
            for entry in state.entries.values {
                entry.registry._withUnsafeGuaranteedRef { $0.hooks.isWatched = isCounting }
            }
        }
    }
}

/// A center as it is seen from outside.
package struct InspectedCenter: Sendable {
    /// The center's number in the order of creation.
    package let number: UInt64
    package let name: String
    let registry: Registry

    /// Observer objects that had died when something was to be delivered to them, so far.
    package var expired: UInt64 { registry.hooks.expired.load(ordering: .relaxed) }

    /// Whether deliveries on the posting thread are counted.
    package var countsInline: Bool { registry.hooks.countsInline }

    /// The live registrations, in their order.
    package var registrations: [InspectedRegistration] {
        registry.observations.map(InspectedRegistration.init)
    }

    /// The ``InspectedRegistration/id``s of the live registrations, in no order.
    package var registrationIDs: [UInt64] { registry.addresses.map(UInt64.init) }

    /// The findings: things in these registrations that look like mistakes.
    package func findings(in registrations: [InspectedRegistration]) -> [CenterFinding] {
        CenterSnapshot(entries: registrations.map(\.entry), expired: expired).findings
    }
}

/// A registration as it is seen from outside.
package struct InspectedRegistration: Sendable {
    /// Identifies it in samples. Another registration may get the same value later.
    package let id: UInt64
    package let entry: CenterSnapshot.Entry
    /// The mailbox of its context; nil for the posting thread.
    package var mailbox: ObjectIdentifier? { entry.identity.mailbox }
    /// Whether the observed object is a string. Its text does not tell it from a number, say.
    package let objectIsString: Bool

    init(_ observation: Observation) {
        id = UInt64(observation.address)
        objectIsString = observation.bucket.subject.string != nil
        entry = CenterSnapshot.Entry(observation, isPlain: true)
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore
internal import Synchronization

/// What a suspended center keeps, and for whom.
///
/// Everything that arrives while it is suspended goes through ``take(_:_:_:isImmediate:)``, and what is
/// kept is delivered by one thread at a time, so that order is kept as well.
final class Suspension: Sendable {
    // What an observation keeps of ``DistributedNotificationCenter/SuspensionBehavior``: the most
    // common is zero.
    static let coalesce: UInt8 = 0
    static let drop: UInt8 = 1
    static let hold: UInt8 = 2
    static let deliverImmediately: UInt8 = 3

    // Sendable: as unchecked as a notification that crosses threads.
    private struct Held: @unchecked Sendable {
        let payload: NamedPayload
        let topic: Topic
        let subject: Subject
        /// The last registration when it arrived: later observers do not get it.
        let lastRegistration: UInt64
        /// Whether no later one has this name and object.
        var isLatest = true
        /// Whether it is delivered however observers behave.
        let isForAll: Bool

        func admits(_ observation: Observation) -> Bool {
            if observation.sequence > lastRegistration { return false }
            switch observation.suspension {
            case _ where isForAll: return true
            case Suspension.hold: return true
            case Suspension.coalesce: return isLatest
            default: return false
            }
        }
    }

    private struct State: Sendable {
        var isSuspended = false
        /// Whether a thread delivers what was held.
        var isDelivering = false
        var held: [Held] = []
    }

    private let engine: NotificationEngine
    private let state = Guarded(State())
    /// Whether anything may have to be held: read by every delivery.
    private let mayHold = Atomic<Bool>(false)

    init(engine: NotificationEngine) { self.engine = engine }

    /// Whether deliveries have to go through ``take(_:_:_:isImmediate:)``.
    @inline(__always)
    var isSuspended: Bool { mayHold.load(ordering: .acquiring) }

    /// Whether the user suspended the center.
    var wasAskedFor: Bool { state.withLock(\.isSuspended) }

    func suspend() {
        state.withLock { $0.isSuspended = true }
        mayHold.store(true, ordering: .releasing)
    }

    /// Delivers what was held; from then on, everything is delivered as it comes.
    func resume() {
        state.withLock { $0.isSuspended = false }
        deliverHeld()
    }

    /// Delivers or holds what arrives.
    func take(
        _ payload: NamedPayload, _ topic: Topic, _ subject: Subject, isImmediate: Bool
    ) {
        let isImmediate =
            isImmediate
            || engine.isObserved(topic, subject) { $0.suspension == Self.deliverImmediately }
        // Only those who get all of them need more than the last.
        let isHeldWhole = engine.isObserved(topic, subject) { $0.suspension == Self.hold }
        let lastRegistration = engine.lastRegistration
        let waits = state.withLock { state in
            // What comes after the resumption only waits for its turn behind what was held.
            let entry = Held(
                payload: payload, topic: topic, subject: subject,
                lastRegistration: lastRegistration, isForAll: isImmediate || !state.isSuspended)
            Self.supersede(entry, in: &state.held, keepsOlder: isHeldWhole)
            state.held.append(entry)
            return !entry.isForAll
        }
        if !waits { deliverHeld() }
    }

    private static func supersede(_ entry: Held, in held: inout [Held], keepsOlder: Bool) {
        // What is for all lets go what was held before it, and so is nobody's successor.
        if entry.isForAll { return }
        // The one before has superseded all others.
        guard
            let last = held.lastIndex(where: {
                $0.isForAll || $0.topic == entry.topic && $0.subject == entry.subject
            }),
            !held[last].isForAll
        else { return }
        if keepsOlder { held[last].isLatest = false } else { held.remove(at: last) }
    }

    /// Delivers what is held, in the order of arrival, and what comes in the meantime. Where another
    /// thread, or a call further up, does so already, it goes on to do it.
    private func deliverHeld() {
        while true {
            let due = state.withLock { state -> [Held] in
                if state.isDelivering { return [] }
                let due = Self.takeDue(&state)
                state.isDelivering = !due.isEmpty
                if due.isEmpty, !state.isSuspended { mayHold.store(false, ordering: .releasing) }
                return due
            }
            if due.isEmpty { return }
            for entry in due {
                _ = engine.post(
                    entry.payload, Posting(entry.topic, about: entry.subject), where: entry.admits)
            }
            state.withLock { $0.isDelivering = false }
        }
    }

    /// While the center is suspended, what is due ends with the last that is for all.
    private static func takeDue(_ state: inout State) -> [Held] {
        var count = state.held.count
        if state.isSuspended {
            count = (state.held.lastIndex { $0.isForAll } ?? -1) + 1
        }
        defer { state.held.removeFirst(count) }
        return Array(state.held[..<count])
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard

/// The deliveries that posts wait for, by their observation. A post stops waiting for one whose
/// observation has ended before the handler was called, although the delivery still stands in the
/// mailbox, behind a handler that may run for long.
enum AwaitedDeliveries {
    private struct Entry: Sendable {
        /// Weak: the post stops waiting, too, when the delivery lets go of the ticket.
        weak var ticket: PostWait.Ticket?
        /// The number of forks before the delivery. The posts of a parent do not wait in its child.
        let generation: UInt64
    }

    private static let entries: Guarded<[UInt: [ObjectIdentifier: Entry]]> = {
        let entries = Guarded<[UInt: [ObjectIdentifier: Entry]]>([:])
        // A forked child may end observations of its parent's.
        entries.holdAcrossForks()
        return entries
    }()

    /// - Parameter observation: the address of the observation, which the delivery keeps.
    static func add(_ ticket: PostWait.Ticket, to observation: UInt) {
        let entry = Entry(ticket: ticket, generation: switchyard_fork_generation())
        entries.withLock { $0[observation, default: [:]][ObjectIdentifier(ticket)] = entry }
    }

    /// Called when the ticket ends.
    static func remove(_ ticket: ObjectIdentifier, of observation: UInt) {
        entries.withLock { entries in
            entries[observation]?[ticket] = nil
            if entries[observation]?.isEmpty == true { entries[observation] = nil }
        }
    }

    /// Has posts wait no longer for an observation whose handler is called no more. Under no lock:
    /// a post that goes on may run the user's code.
    static func observationHasEnded(_ observation: UInt) {
        let ended = entries.withLock { $0.removeValue(forKey: observation) }
        guard let ended else { return }
        let generation = switchyard_fork_generation()
        for entry in ended.values where entry.generation == generation {
            entry.ticket?.observationHasEnded()
        }
    }
}

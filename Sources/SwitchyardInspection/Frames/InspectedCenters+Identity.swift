// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension InspectedCenters {
    /// The identity of a registration, which no other one of the process gets. An id does not tell
    /// that: the registration leaves it to a later one.
    package struct Identity: Hashable, Sendable {
        /// The number of the center.
        let center: UInt64
        /// The registration's rank in the order of registration.
        let sequence: UInt64

        package init(_ center: Center, _ registration: Registration) {
            self.center = center.number
            sequence = registration.sequence
        }
    }

    /// The registrations by their identities.
    package var registrationsByIdentity: [Identity: Registration] {
        var found: [Identity: Registration] = [:]
        for center in centers {
            for registration in center.registrations {
                found[Identity(center, registration)] = registration
            }
        }
        return found
    }

    /// The ids that stand for more than one registration in some looks at a process: what happened
    /// in between can't be told apart by them.
    package static func reusedIDs(_ looks: [InspectedCenters]) -> Set<UInt64> {
        var holders: [UInt64: Identity] = [:]
        var reused: Set<UInt64> = []
        for center in looks.lazy.flatMap(\.centers) {
            for registration in center.registrations {
                let identity = Identity(center, registration)
                if let holder = holders.updateValue(identity, forKey: registration.id),
                    holder != identity
                {
                    reused.insert(registration.id)
                }
            }
        }
        return reused
    }
}

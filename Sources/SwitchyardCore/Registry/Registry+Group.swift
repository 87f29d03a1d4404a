// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

extension Registry {
    /// Whether deliveries of a group are on their way from one member to another, or to a report.
    var hasMovingGroups: Bool {
        let all = groups.withLock { $0.all.values.compactMap(\.object) }
        return all.contains(where: \.isMoving)
    }

    /// The number of the last registration that hears a post which begins now, for the choice from
    /// groups.
    var lastForGroups: UInt64 {
        state.withLock(\.lastSequence)
    }

    /// The group of that name, which is made if there is none.
    func group(named name: String) -> DeliveryGroup {
        hasGroups.store(true, ordering: .relaxed)
        return groups.withLock { groups in
            if let group = groups.all[name]?.object { return group }
            // From time to time, so that the names of groups without members do not stay.
            if groups.all.count >= 16, groups.all.count & (groups.all.count - 1) == 0 {
                groups.all = groups.all.filter { $0.value.object != nil }
            }
            let group = DeliveryGroup(name: name, watcher: groups.watcher)
            groups.all[name] = WeakReference(group)
            return group
        }
    }
}

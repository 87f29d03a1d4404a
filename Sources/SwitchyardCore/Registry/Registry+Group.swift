// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension Registry {
    /// The group of that name, which is made if there is none.
    func group(named name: String) -> DeliveryGroup {
        groups.withLock { groups in
            if let group = groups[name]?.object { return group }
            // From time to time, so that the names of groups without members do not stay.
            if groups.count >= 16, groups.count & (groups.count - 1) == 0 {
                groups = groups.filter { $0.value.object != nil }
            }
            let group = DeliveryGroup(name: name)
            groups[name] = WeakReference(group)
            return group
        }
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The groups of a registry. Guard: the registry's lock of groups.
struct GroupTable: Sendable {
    /// The groups that have members, by name, and some that have none any more.
    var all: [String: WeakReference<DeliveryGroup>] = [:]
    /// Told of the members of all groups; set before the first.
    var watcher: (any GroupWatcher)?
}

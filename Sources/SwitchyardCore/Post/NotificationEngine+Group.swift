// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

extension NotificationEngine {
    /// The listener that learns of the members of groups. To be set before the center is shared.
    package func watchGroups(_ watcher: any GroupWatcher) {
        registry.groups.withLock { $0.watcher = watcher }
    }

    /// Whether there ever was a group.
    @inline(__always)
    package var hasGroups: Bool { registry.hasGroups.load(ordering: .relaxed) }

    /// The members of a group that hear posts of a topic and subject, and what they have to do.
    package func load(of group: String, _ topic: Topic, _ subject: Subject) -> GroupLoad {
        registry.groups.withLock { $0.all[group] }?.object?.load(topic, subject) ?? GroupLoad()
    }
}

extension Observation {
    /// The name of the group of which it is a member; nil for most.
    package var groupName: String? { flow?.group?.name }
}

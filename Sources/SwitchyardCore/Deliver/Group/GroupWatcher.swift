// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A listener that learns of the members of a center's groups. It must not call back.
package protocol GroupWatcher: AnyObject, Sendable {
    /// Called when a member has joined that hears a topic and subject.
    func memberJoined(_ group: String, _ topic: Topic, _ subject: Subject)
    /// Called when such a member has left.
    func memberLeft(_ group: String, _ topic: Topic, _ subject: Subject)
}

/// The members of a group that hear a post, and what they have to do.
package struct GroupLoad: Sendable {
    /// The number of members that are not paused.
    package var members = 0
    /// The number of deliveries that wait for them or are being made.
    package var deliveries = 0

    /// Makes the load of a group without members.
    package init() {}
}

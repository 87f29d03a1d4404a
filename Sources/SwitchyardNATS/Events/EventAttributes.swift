// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import SwitchyardDistributed

/// The attributes of an event that can differ between the posts of one topic, beside its numbers
/// and its time.
struct EventAttributes: Sendable {
    let kind: EventKind
    /// Whether suspended processes receive the notification as well.
    let isImmediate: Bool
    /// Whether somebody traces the notification in the posting process.
    let isTraced: Bool
    /// The time of the post, in nanoseconds since 1970, if the notification is kept for observers
    /// that come late.
    let keptAt: UInt64?
    /// The context of the notification, beside its payload, such as the identifiers of a trace.
    var context: [String: String]

    init(_ kind: EventKind, _ notification: OutgoingNotification, isTraced: Bool) {
        self.kind = kind
        isImmediate = notification.deliversImmediately
        self.isTraced = isTraced
        keptAt = notification.keptAt
        context = notification.context
    }

    /// Whether no other event has the same attributes, so that a message with them is used once.
    var isForOneEvent: Bool { keptAt != nil || !context.isEmpty }

    func isSame(as other: EventAttributes) -> Bool {
        kind == other.kind && isImmediate == other.isImmediate && isTraced == other.isTraced
            && !isForOneEvent && !other.isForOneEvent
    }
}
#endif

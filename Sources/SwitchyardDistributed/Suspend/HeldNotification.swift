// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore

/// A notification that a suspended center keeps.
// Sendable: unchecked, as for any notification that crosses threads.
struct HeldNotification: @unchecked Sendable {
    let payload: NamedPayload
    let topic: Topic
    let subject: Subject
    /// The number of the last registration when the notification arrived: later observers do not
    /// get it.
    let lastRegistration: UInt64
    /// The observers that hear the notification if its payload is kept.
    var audience = Audience()
    /// The end of a notification.
    enum End: Sendable {
        case delivered(PostReceipt)
        /// A later one of the same name and object has taken its place.
        case superseded
        /// Too many were held.
        case givenUp
    }

    typealias WhenOver = @Sendable (End) -> Void
    /// Called when the notification, which is for a group, is over. Not called if the center ends
    /// before.
    var whenOver: WhenOver?
    /// Whether no later held notification has this name and object.
    var isLatest = true
    /// The registration numbers of the observers that coalesce, have a condition, and for which
    /// this is the last notification of its name and object that fulfils the condition.
    var latestFor: Set<UInt64> = []
    /// Whether the notification goes to all observers, whatever their behaviours.
    let isForAll: Bool
    /// The number of bytes of the payload.
    let size: Int

    /// The approximate number of bytes that the notification takes. Names and objects may be much
    /// longer than payloads.
    var bytes: Int {
        size + topic.name.utf8.count + (subject.string?.utf8.count ?? 0)
            + MemoryLayout<Self>.stride
    }

    func admits(_ observation: Observation) -> Bool {
        if observation.sequence > lastRegistration || !audience.admitHeld(observation) {
            return false
        }
        switch observation.suspension {
        case _ where isForAll: return true
        case Suspension.hold: return true
        case Suspension.coalesce where observation.hasCondition:
            return latestFor.contains(observation.sequence)
        case Suspension.coalesce: return isLatest
        default: return false
        }
    }

    /// The name and object, and the group if it is for that alone. Coalescing keeps only the last
    /// notification of each.
    var key: HeldKey {
        HeldKey(
            interest: DistributedInterest(name: topic.name, object: subject.string),
            group: audience.groups.only)
    }
}

/// The notifications of which a suspended center keeps only the last, for most observers.
struct HeldKey: Sendable, Hashable {
    let interest: DistributedInterest
    let group: String?
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import SwitchyardCore

/// The observers here that hear a notification: all, as a rule.
struct Audience: Sendable {
    /// The groups of which a member hears the notification.
    enum Groups: Sendable {
        case all
        /// None: the process that posted it has chosen others, or sends it once more.
        case none
        case allBut(Set<String>)
        /// Only a member of this group hears it.
        case only(String)
    }

    /// The number of the last registration that hears the post. Later observers that hear the
    /// latest value first get the kept value instead.
    var last: UInt64 = .max

    /// The value that is kept; nil if none is. Observers that hear the latest value first do not
    /// hear it any more once a later one has taken its place: they may have heard that one already.
    var value: AnyRetainedValue?

    var groups = Groups.all

    /// The observers of a post that is older than the latest value: ordinary ones.
    static let ordinary = Audience(last: 0)

    /// Whether the post is older than the latest value.
    var isStale: Bool { last == 0 }

    mutating func markStale() { last = 0 }

    /// Whether a later value has taken the place of the one that is kept.
    var isReplaced: Bool { value?.isReplaced == true }

    /// Whether an observer hears the post now.
    func admit(_ observation: Observation) -> Bool {
        admitHeld(observation) && !(observation.replaysLatest && isReplaced)
    }

    /// Whether an observer hears the post after it was held, behind the earlier ones.
    func admitHeld(_ observation: Observation) -> Bool {
        (observation.sequence <= last || !observation.replaysLatest)
            && groups.admit(observation.groupName)
    }
}

extension Audience.Groups {
    /// The group that alone hears the notification.
    var only: String? { if case .only(let group) = self { group } else { nil } }

    /// Whether an observer of a group, or of none, hears the notification.
    func admit(_ group: String?) -> Bool {
        switch self {
        case .all: true
        case .none: group == nil
        case .allBut(let groups): group.map { !groups.contains($0) } ?? true
        case .only(let only): group == only
        }
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardWire

/// The announcement of a group of one process to the others: the notifications that its members
/// hear, and the number of the members.
struct GroupInterest: Codable, Sendable, Hashable {
    /// The members of a group that hear the same notifications.
    struct Key: Codable, Sendable, Hashable {
        let group: String
        /// The name; nil for any, or a pattern.
        var name: String?
        var pattern: String?
        /// The object; nil for any or none.
        var object: String?

        /// The key of members with a topic and subject; nil if notifications of other processes
        /// never match these.
        init?(_ group: String, _ topic: Topic, _ subject: Subject) {
            guard subject.isNone || subject.string != nil else { return nil }
            self.group = group
            object = subject.string
            if topic.isName {
                name = topic.name
            } else if topic.isPattern {
                pattern = topic.name
            } else if !topic.isAnyName {
                return nil
            }
        }
    }

    let key: Key
    /// The number of members.
    let members: Int
    /// True if the center of the process is suspended; nil otherwise.
    let isSuspended: Bool?
    /// The pattern of the key of another process, read once for all posts; nil if there is none, or
    /// if it is no pattern.
    private var pattern: NamePattern?

    private enum CodingKeys: CodingKey {
        case key, members, isSuspended
    }

    /// Whether the members hear notifications of a name and object.
    func hears(_ posted: Topic, _ object: String?) -> Bool {
        if let own = key.object, own != object { return false }
        if let name = key.name { return name == posted.name }
        if key.pattern == nil { return posted.isName }
        return posted.isName && pattern?.matches(posted.name) == true
    }

    init(_ key: Key, members: Int, isSuspended: Bool) {
        self.key = key
        self.members = members
        self.isSuspended = isSuspended ? true : nil
    }

    /// The form in which other processes are told; nil if the names in it are too long.
    var interest: DistributedInterest? {
        guard let text = try? JSONCoding.encode(self), text.count <= WireFormat.longestObject else {
            return nil
        }
        return DistributedInterest(
            name: CenterNames.groups, object: String(decoding: text, as: UTF8.self))
    }

    /// The interest by which a process says that it chooses the members of groups for its own
    /// posts, where there is no other way to say so.
    static let choice = DistributedInterest(name: CenterNames.groups, object: nil)

    /// The largest number of members that another process is believed.
    private static let mostMembers = 100_000

    /// Reads what another process has told; nil if it makes no sense.
    init?(_ interest: DistributedInterest) {
        guard interest.isForGroups, let text = interest.object,
            let read = try? Array(text.utf8).withUnsafeBytes({
                try JSONCoding.decode(GroupInterest.self, from: $0)
            }), (1...Self.mostMembers).contains(read.members)
        else { return nil }
        self = read
        pattern = read.key.pattern.flatMap { NamePattern($0) }
    }
}

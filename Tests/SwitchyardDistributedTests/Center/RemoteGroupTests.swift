// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) import SwitchyardCore
import TestSupport
import Testing

@testable import SwitchyardDistributed

/// The look-up of processes whose groups hear a notification.
@Suite("Groups of other processes", .timeLimit(.minutes(5))) struct RemoteGroupTests {
    private static func told(
        _ group: String, _ topic: Topic, _ object: String? = nil, members: Int = 1,
        isSuspended: Bool = false
    ) throws -> DistributedInterest {
        let key = try #require(GroupInterest.Key(group, topic, Subject(optional: object)))
        let interest = GroupInterest(key, members: members, isSuspended: isSuspended)
        return try #require(interest.interest)
    }

    private static func read(_ interests: DistributedInterest...) -> [GroupInterest] {
        GroupNews(interests).groups
    }

    private static func members(
        _ groups: RemoteGroups, _ name: String, _ object: String? = nil
    ) -> [String: Int] {
        groups.candidates(.name(name), object).mapValues { $0.reduce(0) { $0 + $1.members } }
    }

    @Test(.rule(46)) func `Groups are found by names, patterns, objects and any name`() throws {
        var groups = RemoteGroups()
        groups.set(
            try Self.read(
                Self.told("name", .name("a.b"), members: 2), Self.told("name", .pattern("a.*")),
                Self.told("other", .name("c")), Self.told("any", .anyName),
                Self.told("rest", .pattern("a.>")), Self.told("object", .name("a.b"), "x")),
            of: "one")
        groups.set(try Self.read(Self.told("name", .name("a.b"), members: 4)), of: "two")
        #expect(Self.members(groups, "a.b") == ["name": 7, "any": 1, "rest": 1])
        #expect(Self.members(groups, "a.b", "x") == ["name": 7, "any": 1, "rest": 1, "object": 1])
        #expect(Self.members(groups, "a.c") == ["name": 1, "any": 1, "rest": 1])
        #expect(Self.members(groups, "c") == ["any": 1, "other": 1])
        #expect(Self.members(groups, "d") == ["any": 1])
    }

    @Test(.rule(46)) func `Groups that have gone are not found, in whatever way they were`() throws
    {
        var groups = RemoteGroups()
        let interests = try Self.read(
            Self.told("g", .name("a")), Self.told("g", .pattern("*")), Self.told("g", .anyName))
        for process in ["one", "two"] { groups.set(interests, of: process) }
        #expect(Self.members(groups, "a") == ["g": 6])
        for interest in interests { groups.remove(interest, of: "one") }
        #expect(Self.members(groups, "a") == ["g": 3])
        groups.add(interests[0], of: "one")
        groups.add(interests[0], of: "one")
        #expect(Self.members(groups, "a") == ["g": 4])
        groups.forget("one")
        #expect(Self.members(groups, "a") == ["g": 3])
        groups.set([], of: "two")
        #expect(groups.isEmpty)
        #expect(Self.members(groups, "a").isEmpty)
    }

    @Test(.rule(39)) func `News of groups that make no sense are passed over`() throws {
        let group = try Self.told("g", .name("a"))
        let news = GroupNews([
            DistributedInterest(name: CenterNames.groups, object: "no JSON"),
            DistributedInterest(name: "A", object: nil), group,
        ])
        #expect(news.groups.count == 1)
        #expect(!news.chooses)
        #expect(GroupNews([group, GroupInterest.choice]).chooses)
        // A pattern that is none is heard by nobody.
        var groups = RemoteGroups()
        let odd = DistributedInterest(
            name: CenterNames.groups,
            object: #"{"key":{"group":"g","pattern":"a*.b"},"members":1}"#)
        groups.set(GroupNews([odd]).groups, of: "one")
        #expect(Self.members(groups, "a*.b").isEmpty)
    }
}

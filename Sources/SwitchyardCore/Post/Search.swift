// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

// The second step of a post: from its topic and subject to the lists of observations.

extension NotificationEngine {
    /// Finds the lists for a post. If nobody observes it, ends the post and returns nil.
    package func matchIfAny(_ posting: Posting) -> Match? {
        let match = registry.match(posting.topic, posting.subject)
        guard match.isEmpty else { return match }
        match.end()
        _ = reachedNobody(posting.topic)
        return nil
    }
}

extension Registry {
    /// Finds the lists of observations for a post, and protects them until it is delivered: for its
    /// topic and for any name, with its subject and with any.
    @inline(__always)
    func match(_ topic: Topic, _ subject: Subject) -> Match {
        let isHeardAsAny = topic.isName && anyNameCount.load(ordering: .acquiring) > 0
        return subject.isNone && !isHeardAsAny
            ? search(roomFor: 2) { $1.add($0.find(topic, .none)) } : matchAll(topic, subject)
    }

    @inline(never)
    private func matchAll(_ topic: Topic, _ subject: Subject) -> Match {
        let isHeardAsAny = topic.isName && anyNameCount.load(ordering: .acquiring) > 0
        if isHeardAsAny { return matchManyNames(topic, subject) }
        return search(roomFor: 5) { table, match in
            match.add(table.find(topic, .none))
            if !subject.isNone { match.add(table.find(topic, subject)) }
        }
    }

    /// Finds the lists for a name while any name, or a pattern, is observed.
    @inline(never)
    private func matchManyNames(_ topic: Topic, _ subject: Subject) -> Match {
        if patterns != nil { return matchPatterns(topic, subject) }
        return search(roomFor: 5) { table, match in
            Self.add(topic, subject, from: table, to: &match)
            Self.add(.anyName, subject, from: table, to: &match)
        }
    }

    /// Finds the lists for a name while patterns are observed: also those of the pattern of each
    /// shape that the name fits.
    @inline(never)
    private func matchPatterns(_ topic: Topic, _ subject: Subject) -> Match {
        search(roomFor: 5 + 2 * PatternShapes.most) { table, match in
            Self.add(topic, subject, from: table, to: &match)
            Self.add(.anyName, subject, from: table, to: &match)
            guard let patterns else { return }
            patterns._withUnsafeGuaranteedRef { patterns in
                NameParts.withParts(of: topic.name) { bytes, ends, count in
                    for shape in patterns.shapes where shape.fits(parts: count) {
                        guard let pattern = shape.pattern(of: bytes, ends) else { continue }
                        Self.add(.pattern(pattern), subject, from: table, to: &match)
                    }
                }
            }
        }
    }

    /// Adds the lists of a topic: with a subject, and with any.
    @inline(__always)
    private static func add(
        _ topic: Topic, _ subject: Subject, from table: RegistryTable, to match: inout Match
    ) {
        match.add(table.find(topic, .none))
        if !subject.isNone { match.add(table.find(topic, subject)) }
    }

    /// Has `find` add lists to a match, which are protected from then on.
    @inline(__always)
    func search(
        roomFor words: Int, _ find: (RegistryTable, inout Match) -> Void
    ) -> Match {
        var match = Match(
            record: HazardRecord.openFrame(searching: identity, roomFor: words))
        table._withUnsafeGuaranteedRef { find($0, &match) }
        match.endSearch()
        return match
    }
}

extension Match {
    /// Protects the current list of `bucket`. Only between the beginning and the end of a search.
    @inline(__always)
    mutating func add(_ bucket: Unmanaged<Bucket>?) {
        guard let bucket else { return }
        bucket._withUnsafeGuaranteedRef { bucket in
            let list = bucket.listAddress
            if list == 0 { return }
            count &+= 1
            (slot + count).pointee.store(list, ordering: .releasing)
            if bucket.hasPriorities { isPrioritized = true }
        }
    }

    @inline(__always)
    func endSearch() {
        record.pointee.top = base &+ 1 &+ count
        record.pointee.searching.store(0, ordering: .releasing)
    }
}

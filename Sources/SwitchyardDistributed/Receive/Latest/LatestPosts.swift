// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The posts of kept values that are on their way out, and the processes that asked for such a
/// value meanwhile.
///
/// A process that asks during a post may have come too late to hear the post. So it is answered
/// once the post was sent: with the value of that post, and behind it.
struct LatestPosts: Sendable {
    private struct Post: Sendable {
        let stamp: LatestStamp
        var askers: Set<String> = []
    }

    /// The posts of each name and object, in the order of their stamps.
    private var posts: [DistributedInterest: [Post]] = [:]

    /// Takes note of a post that begins, with a stamp that is later than those before.
    mutating func begin(_ stamp: LatestStamp, _ key: DistributedInterest) {
        posts[key, default: []].append(Post(stamp: stamp))
    }

    /// Has a process wait for the posts that answer its question: for the last one of each name and
    /// object.
    ///
    /// - Returns: These names and objects.
    mutating func add(
        _ asker: String, for question: DistributedInterest
    ) -> Set<DistributedInterest> {
        let keys = posts.keys.filter(question.asksFor)
        for key in keys {
            guard let last = posts[key]?.indices.last else { continue }
            posts[key]?[last].askers.insert(asker)
        }
        return Set(keys)
    }

    /// Whether a post of this name and object is on its way.
    func contains(_ key: DistributedInterest) -> Bool { posts[key] != nil }

    /// Takes note that a post was sent, or has failed.
    ///
    /// - Returns: The processes to be answered now. After a failure they wait for the last other
    ///   post, if there is one: they may have missed it.
    mutating func end(
        _ stamp: LatestStamp, _ key: DistributedInterest, wasSent: Bool
    ) -> Set<String> {
        guard var others = posts.removeValue(forKey: key),
            let index = others.firstIndex(where: { $0.stamp == stamp })
        else { return [] }
        let askers = others.remove(at: index).askers
        guard let last = others.indices.last else { return askers }
        if !wasSent { others[last].askers.formUnion(askers) }
        posts[key] = others
        return wasSent ? askers : []
    }
}

extension DistributedInterest {
    /// Whether this key, as a question for latest values, asks for the value of `key`. Nil stands
    /// for any.
    func asksFor(_ key: DistributedInterest) -> Bool {
        (name == nil || name == key.name) && (object == nil || object == key.object)
    }
}

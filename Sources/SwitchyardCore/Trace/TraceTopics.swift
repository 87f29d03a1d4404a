// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The topics of traced posts. An event has a topic's hash; here is what it is called.
package enum TraceTopics {
    /// The most characters of a topic. The rest of a longer one is cut off.
    package static let longestText = 200

    /// The most names. A program that makes up names has no more of them named until nobody traces
    /// for a moment.
    private static let mostNames = 1 << 13

    static let table = Guarded(TraceTopicTable(mostNames: mostNames))

    /// Has forks wait for the table, so that a child in which somebody traces can use it.
    static func holdAcrossForks() { table.holdAcrossForks() }

    static func add(_ topic: Topic) {
        let text = String(topic.description.prefix(longestText))
        table.withLock { $0.add(topic, text) }
    }

    /// Forgets all topics. While nobody traces: each thread names its topics anew when somebody
    /// begins to.
    static func giveUp() { _ = table.exchange(TraceTopicTable(mostNames: mostNames)) }

    /// All but the first `count` topics, in the order in which they were first posted.
    package static func after(_ count: Int) -> [(id: UInt, text: String)] {
        table.withLock { Array($0.topics.dropFirst(count)) }
    }
}

/// Topics in the order in which they came, each once.
struct TraceTopicTable {
    private(set) var topics: [(id: UInt, text: String)] = []
    private var known: Set<UInt> = []
    private var namesLeft: Int

    /// - Parameter mostNames: names beyond these are left out, so that a program that makes up
    ///   names can't fill memory. Message types have no limit: a program has only those that it was
    ///   built with.
    init(mostNames: Int) { namesLeft = mostNames }

    mutating func add(_ topic: Topic, _ text: String) {
        guard !topic.isName || namesLeft > 0, known.insert(topic.hash).inserted else { return }
        if topic.isName { namesLeft -= 1 }
        topics.append((topic.hash, text))
    }
}

/// The topics that one thread has posted, so that it need not name them again.
struct TraceTopicCache {
    private static let size = 256
    /// Never freed, as the ring that has it.
    private let hashes: UnsafeMutablePointer<UInt>

    init() {
        hashes = .allocate(capacity: Self.size)
        hashes.initialize(repeating: 0, count: Self.size)
    }

    /// Has `topic` named, unless this thread has done so.
    func name(_ topic: Topic) {
        if has(topic.hash) { return }
        TraceTopics.add(topic)
        entry(topic.hash).pointee = topic.hash
    }

    func removeAll() { hashes.update(repeating: 0, count: Self.size) }

    /// Whether the topic with this hash was named, and not so many others since.
    @inline(__always)
    func has(_ hash: UInt) -> Bool { entry(hash).pointee == hash }

    @inline(__always)
    private func entry(_ hash: UInt) -> UnsafeMutablePointer<UInt> {
        hashes + Int(hash >> (UInt.bitWidth - 8))
    }
}

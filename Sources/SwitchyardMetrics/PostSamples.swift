// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Metrics
internal import SwitchyardCore

/// The figures of the posts that were looked at since the last reading.
struct SampledFigures {
    /// About the number of posts, by topic.
    var posts: [String: Int] = [:]
    /// About the number of handlers that were called on the posting thread, by registration.
    var inlineCalls: [UInt64: Int] = [:]
    /// The nanoseconds that handlers ran, by topic.
    var took: [String: [Int64]] = [:]
    /// The nanoseconds that deliveries waited, by topic.
    var waited: [String: [Int64]] = [:]
    /// The number of events that were overwritten before they could be read.
    var missed = 0
}

/// Makes figures of trace events: a state machine that is given events.
///
/// An event may be read before the one it belongs to, which stands in another thread's ring. It is
/// kept for the next reading then, and no longer.
struct PostSamples {
    private struct Post {
        let topic: String
        let weight: Int
    }

    private struct Delivery: Hashable {
        let post: UInt64
        let registration: UInt64
    }

    /// The most posts, and deliveries that wait, that are remembered.
    private static let most = 1 << 16

    private var posts = Recent<UInt64, Post>(most: Self.most)
    private var queued = Recent<Delivery, UInt64>(most: Self.most)
    private var early: [TraceEvent] = []
    /// The posts of other processes that an earlier reading has counted, by topic: later readings
    /// count as many fewer.
    private var overcounted: [String: Int] = [:]

    /// Takes the events of a reading.
    ///
    /// - Parameters:
    ///   - events: those of all threads; of one thread, in their order.
    ///   - topics: the topics by their numbers.
    ///   - nanosecondsOfTick: the length of a tick of the events' clock.
    mutating func take(
        _ events: [TraceEvent], topics: [UInt64: String], nanosecondsOfTick: Double
    ) -> SampledFigures {
        var figures = SampledFigures()
        for event in events {
            switch event.kind {
            case .posted:
                let post = Post(
                    topic: topics[event.subject] ?? BoundedNames.other, weight: Int(event.weight))
                posts[event.post] = post
                figures.posts[post.topic, default: 0] += post.weight
            case .received:
                // Another process has posted it.
                guard let post = posts[event.post] else { continue }
                overcounted[post.topic, default: 0] += post.weight
            case .queued, .due:
                let delivery = Delivery(post: event.post, registration: event.subject)
                queued[delivery] = max(event.ticks, queued[delivery] ?? 0)
            default: break
            }
        }
        settleOvercounted(&figures)
        let before = early
        early = []
        for (event, isLate) in before.map({ ($0, true) }) + events.map({ ($0, false) }) {
            guard event.kind == .called || event.kind == .delivered else { continue }
            if let post = posts[event.post] {
                count(event, of: post, nanosecondsOfTick, &figures)
            } else if !isLate {
                early.append(event)
            }
        }
        return figures
    }

    private mutating func settleOvercounted(_ figures: inout SampledFigures) {
        for (topic, many) in overcounted {
            guard let counted = figures.posts[topic] else { continue }
            let settled = min(many, counted)
            figures.posts[topic] = counted == settled ? nil : counted - settled
            overcounted[topic] = many == settled ? nil : many - settled
        }
    }

    private mutating func count(
        _ event: TraceEvent, of post: Post, _ nanosecondsOfTick: Double,
        _ figures: inout SampledFigures
    ) {
        let took = UInt64(event.detail) * TraceClock.ticksOfDetail
        figures.took[post.topic, default: []].append(Int64(Double(took) * nanosecondsOfTick))
        if event.kind == .called {
            figures.inlineCalls[event.subject, default: 0] += post.weight
            return
        }
        let delivery = Delivery(post: event.post, registration: event.subject)
        guard let since = queued.remove(delivery) else { return }
        let inAll = event.ticks > since ? event.ticks - since : 0
        let waited = inAll > took ? inAll - took : 0
        figures.waited[post.topic, default: []].append(Int64(Double(waited) * nanosecondsOfTick))
    }
}

/// Values by key, of which the oldest go when there are too many.
private struct Recent<Key: Hashable, Value> {
    private let most: Int
    private var values: [Key: Value] = [:]
    /// The keys in the order in which they came; the first `head` have gone.
    private var order: [Key] = []
    private var head = 0

    init(most: Int) { self.most = most }

    subscript(key: Key) -> Value? {
        get { values[key] }
        set {
            guard let newValue else { return }
            if values.updateValue(newValue, forKey: key) == nil { order.append(key) }
            while order.count - head > most {
                values[order[head]] = nil
                head += 1
            }
            if head > most {
                order.removeFirst(head)
                head = 0
            }
        }
    }

    mutating func remove(_ key: Key) -> Value? { values.removeValue(forKey: key) }
}
#endif

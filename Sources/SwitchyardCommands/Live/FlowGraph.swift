// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardCore
internal import SwitchyardInspection

/// The graph of a process: its posters, topics, handlers and contexts, and the rates between them
/// in the last seconds. Made from a ``LiveWindow`` alone.
struct FlowGraph {
    /// The registrations of one origin with the same topic, subject and context.
    struct Handler {
        var id: String
        var context: String
        var topic: String
        /// Whether the handler hears more than one name, so that posts alone say which.
        var hearsMany: Bool
        var row: HandlerTable.Row
        var times = DeliveryTimes.Times()
        /// The handler's rank in the order of registration.
        var sequence: UInt64
        var delivered: UInt64
        static func id(of row: HandlerTable.Row) -> String {
            "o:" + LiveText.key(row.center, row.context, row.handler, row.hears)
        }

        /// The handler's topic and object, for people.
        var hears: String {
            LiveText.topic(topic) + LiveText.short(String(row.hears.dropFirst(topic.count)))
        }
        /// The seconds that the slowest in a hundred deliveries take from the post to the handler's
        /// end.
        var slowest: Double { (row.waited ?? 0) + (row.took ?? 0) }
    }

    /// A name or the type of a message.
    struct Topic {
        var id: String
        var text: String
        static func id(of text: String) -> String { "t:" + LiveText.key(text) }

        /// The posts of a second.
        var rate = 0.0
        /// The rate of posts that nobody heard.
        var unheard = 0.0
        /// Whether no post of it reached anybody.
        var isUnheard: Bool { unheard > 0 && unheard >= rate }
    }

    /// A line of source from which something is posted.
    struct CallSite {
        var id: String
        var place: String
        /// The names of the threads that posted there.
        var threads: Set<String> = []
        var rate = 0.0
    }

    /// A delivery context, which runs handlers.
    struct Context {
        var id: String
        var name: String
        /// The deliveries that wait on it, by mailbox: several may have one name.
        fileprivate(set) var depths = MailboxDepths()
        var waiting: Int { depths.sum }
        /// The share of a thread's time that its handlers took.
        var busy = 0.0
        /// Whether one thread at a time runs its handlers, so that it can be full.
        var isThread = false
        /// Whether deliveries to one of its handlers come faster than they are made, or are lost.
        fileprivate(set) var isBehind = false
        var isFull: Bool {
            isThread && busy >= BusyFindings.fullShare && (name == "main" || isBehind)
        }
    }

    /// Notifications on their way from a poster to a topic, or from a topic to a handler.
    struct Edge: Hashable {
        var from: String
        var to: String
    }

    private(set) var handlers: [Handler] = []
    private(set) var topics: [String: Topic] = [:]
    private(set) var posters: [String: CallSite] = [:]
    private(set) var contexts: [String: Context] = [:]
    /// The number of a second, for each edge.
    private(set) var rates: [Edge: Double] = [:]
    /// The index of each registration's handler, by the registration's id, unless that stood for
    /// another one before, from which the trace does not tell it apart.
    private(set) var handlerOfRegistration: [UInt64: Int] = [:]
    private(set) var events: FlowEvents

    init(_ window: LiveWindow) {
        events = FlowEvents(window)
        addHandlers(window)
        findThreads()
        addTimes(window)
        addPosts(window)
        addDeliveries(window)
    }

    static let postingThread = "the posting thread"

    func handler(_ id: String) -> Handler? { handlers.first { $0.id == id } }
}

// MARK: - Registrations

extension FlowGraph {
    private mutating func addHandlers(_ window: LiveWindow) {
        let old = window.before.registrationsByIdentity
        let reused = InspectedCenters.reusedIDs([window.before] + window.between + [window.after])
            .union(window.recording.reusedIDs)
        let looks = window.samples.looksByRegistration
        let allLooks = Double(max(window.samples.looks, 1))
        var positions: [String: Int] = [:]
        for center in window.after.centers {
            for registration in center.registrations {
                let identity = InspectedCenters.Identity(center, registration)
                let isLast = window.recording.registrations.isLast(registration.id, identity)
                let isReused = reused.contains(registration.id) || isLast == false
                let found = isReused ? 0 : looks[registration.id] ?? 0
                let row = HandlerTable.Row(
                    center.name, registration,
                    old[identity],
                    share: Double(found) / allLooks, window.seconds)
                let id = Handler.id(of: row)
                if let position = positions[id] {
                    handlers[position].row.add(row)
                    handlers[position].delivered &+= registration.delivered
                } else {
                    positions[id] = handlers.count
                    let hearsMany = HeardNames(registration.topic) != nil
                    handlers.append(
                        Handler(
                            id: id, context: addContext(row.context), topic: registration.topic,
                            hearsMany: hearsMany, row: row, sequence: registration.sequence,
                            delivered: registration.delivered))
                    if !hearsMany { _ = addTopic(registration.topic) }
                }
                if isLast ?? !isReused {
                    handlerOfRegistration[registration.id] = positions[id]
                }
                let context = handlers[positions[id] ?? 0].context
                contexts[context]?.busy += row.busy
                // There, elements wait for the consumers of sequences, not for the thread.
                if row.context != Self.postingThread { contexts[context]?.depths.add(registration) }
            }
        }
    }

    /// Finds out which contexts are one thread, by what all their handlers do together.
    private mutating func findThreads() {
        for (context, handlers) in Dictionary(grouping: handlers, by: \.context) {
            let rows = handlers.map(\.row)
            contexts[context]?.isThread = rows.haveOneThread
            contexts[context]?.isBehind =
                rows.areFallingBehind || rows.contains { $0.lost > 0 }
        }
    }

    private mutating func addContext(_ name: String) -> String {
        let id = "c:" + LiveText.key(name)
        if contexts[id] == nil { contexts[id] = Context(id: id, name: name) }
        return id
    }

    private mutating func addTopic(_ whole: String) -> String {
        // Traces have the beginnings of long texts.
        let text = String(whole.prefix(TraceTopics.longestText))
        let id = Topic.id(of: text)
        if topics[id] == nil { topics[id] = Topic(id: id, text: text) }
        return id
    }
}

// MARK: - Events

extension FlowGraph {
    private mutating func addTimes(_ window: LiveWindow) {
        for delivery in events.deliveries {
            guard let index = handlerOfRegistration[delivery.registration] else { continue }
            handlers[index].times.add(
                took: delivery.took, waited: delivery.waited, end: delivery.end,
                isInlineOnMain: delivery.isInlineOnMain)
        }
        for index in handlers.indices {
            let times = handlers[index].times
            handlers[index].row.waited = DeliveryTimes.Times.slowest(of: times.waits)
            handlers[index].row.took = DeliveryTimes.Times.slowest(of: times.takes)
        }
    }

    private mutating func addPosts(_ window: LiveWindow) {
        let seconds = max(window.tracedSeconds, 0.001)
        for post in events.posts.values where !post.isOld {
            let rate = post.weight / seconds
            let topic = addTopic(post.topic)
            topics[topic]?.rate += rate
            if post.isUnheard { topics[topic]?.unheard += rate }
            let poster = "p:" + LiveText.key(post.place)
            posters[poster, default: CallSite(id: poster, place: post.place)].rate += rate
            posters[poster]?.threads.insert(post.thread)
            rates[Edge(from: poster, to: topic), default: 0] += rate
        }
    }

    private mutating func addDeliveries(_ window: LiveWindow) {
        let seconds = max(window.tracedSeconds, 0.001)
        for delivery in events.deliveries {
            guard let index = handlerOfRegistration[delivery.registration],
                handlers[index].hearsMany, let post = events.posts[delivery.post]
            else { continue }
            let edge = Edge(from: addTopic(post.topic), to: handlers[index].id)
            rates[edge, default: 0] += post.weight / seconds
        }
        // A handler of one topic: all its deliveries came from that topic.
        for handler in handlers where !handler.hearsMany {
            rates[Edge(from: addTopic(handler.topic), to: handler.id)] = handler.row.rate
        }
    }
}

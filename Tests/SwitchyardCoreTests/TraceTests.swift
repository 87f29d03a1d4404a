// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import TestSupport
import Testing

@testable @_spi(Engine) import SwitchyardCore

/// The trace events of posts. Tracing concerns every center of the process, so each test looks for
/// the topics of its own posts.
@Suite("Traces", .serialized, .decidesSampling) struct TraceTests {
    private let center = MessageCenter()

    /// The events of posts of these types that `body` makes, and of those made inside their
    /// handlers.
    private func events(of types: Any.Type..., during body: () -> Void) -> [TraceEvent] {
        let tracing = CenterDirectory.beginTracing()
        defer { CenterDirectory.endTracing(tracing) }
        TraceSampling.interval = 1
        let before = TraceRing.all.map { (ring: $0, end: $0.end) }
        body()
        var events: [TraceEvent] = []
        for ring in TraceRing.all {
            var cursor = before.first { $0.ring === ring }?.end ?? 0
            // Rings of other tests' threads may overflow meanwhile.
            let overwritten = ring.read(from: &cursor) { events.append($0) }
            if ring === TraceRing.current { #expect(overwritten == 0) }
        }
        let topics = types.map { UInt64(ObjectIdentifier($0).topicHash) }
        let posts = events.filter { $0.kind == .posted && topics.contains($0.subject) }.map(\.post)
        return events.filter { posts.contains($0.post) }.sorted { $0.ticks < $1.ticks }
    }

    private func ids() -> [UInt64] {
        CenterDirectory.centers.first { $0.registry === center.engine.registry }?
            .registrations.map(\.id) ?? []
    }

    @Test func `A post to closures says when it began and which handlers ran, in order`() {
        struct Message: NotificationMessage { typealias Subject = Item }
        let tokens = (0..<3).map { _ in center.observe(Message.self) { _ in } }
        let events = events(of: Message.self) { center.post(Message()) }
        #expect(events.map(\.kind) == [.posted, .called, .called, .called])
        #expect(events.dropFirst().map(\.subject) == ids())
        #expect(Set(events.map(\.post)).count == 1)
        #expect(events[0].weight == 1)
        for token in tokens { token.cancel() }
    }

    @Test func `A registration is traced, however few posts are`() throws {
        struct Message: NotificationMessage { typealias Subject = Item }
        let silent = center.observe(Message.self) { _ in }
        let tracing = CenterDirectory.beginTracing()
        defer { CenterDirectory.endTracing(tracing) }
        TraceSampling.interval = TraceSampling.longest
        defer { TraceSampling.interval = 1 }
        var cursor = TraceRing.current?.end ?? 0
        let token = center.observe(Message.self) { _ in }
        var events: [TraceEvent] = []
        _ = TraceRing.current?.read(from: &cursor) { events.append($0) }
        let registered = events.filter { $0.kind == .registered }
        #expect(registered.map(\.subject) == [try #require(ids().last)])
        let ranks = center.snapshot().entries.map(\.sequence)
        #expect(registered.map(\.detail) == [UInt32(try #require(ranks.last))])
        let numbers = CenterDirectory.centers.map(\.number)
        #expect(registered.allSatisfy { numbers.contains($0.post) })
        for token in [silent, token] { token.cancel() }
    }

    @Test func `A post inside a handler says for which post that was called`() {
        struct Outer: NotificationMessage { typealias Subject = Item }
        struct Inner: NotificationMessage { typealias Subject = Item }
        let tokens = [
            center.observe(Outer.self) { [center] _ in center.post(Inner()) },
            center.observe(Inner.self) { _ in },
        ]
        let events = events(of: Outer.self, Inner.self) {
            center.post(Outer())
            center.post(Inner())
        }
        let outer = events[0].post
        #expect(
            events.map(\.kind) == [.posted, .posted, .within, .called, .called, .posted, .called])
        #expect(events.first { $0.kind == .within }?.subject == outer)
        #expect(events[4].post == outer)
        for token in tokens { token.cancel() }
    }

    @Test(.rule(33)) func `A post inside a traced one is counted, if its center counts`() {
        struct Outer: NotificationMessage { typealias Subject = Item }
        struct Inner: NotificationMessage { typealias Subject = Item }
        center.collectsStatistics = true
        let tokens = [
            center.observe(Outer.self) { [center] _ in center.post(Inner()) },
            center.observe(Inner.self) { _ in },
        ]
        let events = events(of: Outer.self, Inner.self) { center.post(Outer()) }
        #expect(events.map(\.kind) == [.posted, .posted, .within, .called, .called])
        #expect(center.snapshot().entries.map(\.delivered) == [1, 1])
        for token in tokens { token.cancel() }
    }

    @Test func `A delivery to an async handler says that it was one`() async {
        struct Message: NotificationMessage { typealias Subject = Item }
        let token = center.observe(Message.self) { _ in await Task.yield() }
        let traced = await onOwnThread { [self] () -> [TraceEvent] in
            events(of: Message.self) {
                _ = try? center.postAndWait(Message(), timeout: .seconds(240))
            }
        }
        // The handler may have returned before the posting thread writes that it was queued.
        #expect(traced.map(\.kind.rawValue).sorted() == [1, 4, 5])
        #expect(traced.filter(\.isAsyncCall).map(\.kind) == [.delivered])
        token.cancel()
    }

    @Test func `A delivery through a mailbox says when it was queued and when its handler had run`()
    {
        struct Message: NotificationMessage { typealias Subject = Item }
        struct Inner: NotificationMessage { typealias Subject = Item }
        let mailbox = DeliveryMailbox(target: HandDrained())
        let tokens = [
            center.observe(Message.self, on: .mailbox(mailbox)) { [center] _ in
                center.post(Inner())
            },
            center.observe(Inner.self) { _ in },
        ]
        let events = events(of: Message.self, Inner.self) {
            #expect(center.postAndReport(Message()).queued == 1)
            mailbox.drain()
        }
        #expect(
            events.map(\.kind) == [.posted, .queued, .posted, .within, .called, .delivered])
        #expect(events[1].subject == ids()[0])
        #expect(events[3].subject == events[0].post)
        #expect(events[5].post == events[0].post)
        for token in tokens { token.cancel() }
    }

    @Test func `A post that nobody hears is traced, whether its topic was ever observed or not`() {
        struct Message: NotificationMessage { typealias Subject = Item }
        let events1 = events(of: Message.self) { center.post(Message()) }
        #expect(events1.map(\.kind) == [.posted, .unheard])
        let mailbox = DeliveryMailbox(target: HandDrained())
        center.observe(Message.self, on: .mailbox(mailbox)) { _ in }.cancel()
        #expect(events(of: Message.self) { center.post(Message()) }.count == 2)
    }

    @Test func `Every end of a delivery that does not reach its handler is told apart`() {
        struct Message: NotificationMessage {
            typealias Subject = Item
            var key = 0
        }
        func kinds(
            _ options: ObservationOptions, posts: Int,
            then end: (DeliveryMailbox, ObservationToken) -> Void
        ) -> [TraceEvent.Kind] {
            let mailbox = DeliveryMailbox(target: HandDrained())
            let token = center.observe(Message.self, on: .mailbox(mailbox), options: options) { _ in
            }
            defer { token.cancel() }
            return events(of: Message.self) {
                for _ in 0..<posts { center.post(Message()) }
                end(mailbox, token)
            }.map(\.kind)
        }
        func bound(_ bound: DeliveryBound) -> ObservationOptions {
            var options = ObservationOptions.standard
            options.bound = bound
            return options
        }
        let drain = { (mailbox: DeliveryMailbox, _: ObservationToken) in mailbox.drain() }
        #expect(
            kinds(bound(.dropNewest(above: 1)), posts: 2, then: drain)
                == [.posted, .queued, .posted, .dropped, .delivered])
        #expect(
            kinds(bound(.dropOldest(above: 1)), posts: 2, then: drain)
                == [.posted, .queued, .posted, .replaced, .queued, .delivered])
        #expect(
            kinds(bound(.refuse(above: 1)), posts: 2, then: drain)
                == [.posted, .queued, .posted, .refused, .delivered])
        #expect(
            kinds(.standard, posts: 1) { mailbox, _ in mailbox.close() }
                == [.posted, .queued, .undeliverable])
        #expect(
            kinds(.standard, posts: 1) { mailbox, token in
                token.cancel()
                mailbox.drain()
            } == [.posted, .queued, .cancelled])
        #expect(
            kinds(.standard, posts: 1) { mailbox, token in
                token.pause()
                mailbox.drain()
                token.resume()
                mailbox.drain()
            } == [.posted, .queued, .due, .delivered])
    }

    @Test(.rule(18, 42)) func `A delivery to a paused object that has died ends once`() {
        struct Message: NotificationMessage { typealias Subject = Item }
        final class Worker: Sendable { func run(_ message: Message) {} }
        let mailbox = DeliveryMailbox(target: HandDrained())
        var worker: Worker? = Worker()
        let token = worker.map {
            center.observe(Message.self, with: $0, Worker.run, on: .mailbox(mailbox))
        }
        let kinds = events(of: Message.self) {
            center.post(Message())
            token?.pause()
            worker = nil
            mailbox.drain()
        }.map(\.kind)
        #expect(kinds == [.posted, .queued, .expired])
        withExtendedLifetime(worker) {}
    }

    @Test func `A trace says which condition turned a post away, and which handler consumed it`()
        throws
    {
        struct Message: NotificationMessage {
            typealias Subject = Item
            var number = 0
        }
        let mailbox = DeliveryMailbox(target: HandDrained())
        let large = ObservationOptions.where { (message: Message) in message.number > 9 }
        let tokens = [
            center.observe(Message.self, options: large) { _ in },
            center.observe(Message.self, on: .mailbox(mailbox), options: large.inGroup("g")) { _ in
            },
            center.consume(Message.self) { $0.number == 2 ? .consumed : .passed },
            center.observe(Message.self) { _ in },
        ]
        let paused = center.observe(Message.self, options: large) { _ in }
        paused.pause()
        let passed = events(of: Message.self) { center.post(Message(number: 1)) }
        #expect(
            passed.map(\.kind) == [.posted, .filtered, .filtered, .called, .called, .filtered])
        let consumed = events(of: Message.self) { center.post(Message(number: 2)) }
        #expect(consumed.map(\.kind) == [.posted, .filtered, .filtered, .called, .consumed])
        let ends = consumed.suffix(2)
        #expect(ends.first?.subject == ends.last?.subject)
        for token in tokens + [paused] { token.cancel() }
    }

    @Test func `A delivery to an observer that has died is an expired one`() {
        struct Message: NotificationMessage { typealias Subject = Item }
        final class Observer: Sendable {
            func heard(_ message: Message) {}
        }
        let mailbox = DeliveryMailbox(target: HandDrained())
        var observer: Observer? = Observer()
        _ = observer.map {
            center.observe(Message.self, with: $0, Observer.heard, on: .mailbox(mailbox))
        }
        let events = events(of: Message.self) {
            center.post(Message())
            observer = nil
            mailbox.drain()
        }
        #expect(events.map(\.kind) == [.posted, .queued, .expired])
    }

    @Test func `A delivery that a pace allows at once is no post that nobody heard`() {
        struct Message: NotificationMessage { typealias Subject = Item }
        var options = ObservationOptions.standard
        options.pace = .throttle(.seconds(3600))
        let token = center.observe(Message.self, options: options) { _ in }
        let events = events(of: Message.self) {
            center.post(Message())
            center.post(Message())
        }
        #expect(events.map(\.kind) == [.posted, .delivered, .posted, .putOff])
        token.cancel()
    }

    @Test func `A delivery that a pace puts off waits from the time on for which it was put off`()
        async
    {
        struct Message: NotificationMessage { typealias Subject = Item }
        let hand = DeliveryMailbox(target: HandDrained())
        var options = ObservationOptions.standard
        options.pace = .debounce(.milliseconds(1))
        let token = center.observe(Message.self, on: .mailbox(hand), options: options) { _ in }
        let tracing = CenterDirectory.beginTracing()
        TraceSampling.interval = 1
        let before = TraceRing.all.map { (ring: $0, end: $0.end) }
        center.post(Message())
        await until { hand.depth > 0 }
        hand.drain()
        var events: [TraceEvent] = []
        for ring in TraceRing.all {
            var cursor = before.first { $0.ring === ring }?.end ?? 0
            _ = ring.read(from: &cursor) { events.append($0) }
        }
        CenterDirectory.endTracing(tracing)
        let topic = UInt64(ObjectIdentifier(Message.self).topicHash)
        let post = events.first { $0.kind == .posted && $0.subject == topic }?.post
        let own = events.filter { $0.post == post }.sorted { $0.ticks < $1.ticks }
        #expect(own.map(\.kind) == [.posted, .putOff, .due, .delivered])
        token.cancel()
    }

    @Test func `A delivery that a pause kept waits from the end of the pause on`() {
        struct Message: NotificationMessage { typealias Subject = Item }
        let hand = DeliveryMailbox(target: HandDrained())
        let token = center.observe(Message.self, on: .mailbox(hand)) { _ in }
        // If it is still in the mailbox when the pause ends, it is kept until its turn, behind it.
        for isDrainedInPause in [true, false] {
            var resumed: UInt64 = 0
            let events = events(of: Message.self) {
                token.pause()
                center.post(Message())
                if isDrainedInPause { hand.drain() }
                token.resume()
                resumed = TraceClock.now
                hand.drain()
            }
            #expect(events.map(\.kind) == [.posted, .queued, .due, .delivered])
            #expect(events.allSatisfy { $0.kind != .due || $0.ticks <= resumed })
        }
        let dropped = events(of: Message.self) {
            token.pause()
            center.post(Message())
            hand.drain()
            token.resume(.dropping)
            hand.drain()
        }
        #expect(dropped.map(\.kind) == [.posted, .queued, .replaced])
        token.cancel()
    }

    @Test func `Tracing that ends inside a handler leaves nothing for the next one`() {
        struct Message: NotificationMessage { typealias Subject = Item }
        let mailbox = DeliveryMailbox(target: HandDrained())
        let isFirst = Guarded(true)
        let tracing = CenterDirectory.beginTracing()
        let tokens = [
            center.observe(Message.self) { _ in
                if isFirst.exchange(false) { CenterDirectory.endTracing(tracing) }
            },
            center.observe(Message.self, on: .mailbox(mailbox)) { _ in },
        ]
        center.post(Message())
        let events = events(of: Message.self) { center.post(Message()) }
        #expect(events.map(\.kind) == [.posted, .called, .queued])
        #expect(Set(events.map(\.post)).count == 1)
        for token in tokens { token.cancel() }
    }

    @Test func `One post of many is traced, and says how many it stands for`() {
        struct Message: NotificationMessage { typealias Subject = Item }
        let token = center.observe(Message.self) { _ in }
        let events = events(of: Message.self) {
            TraceSampling.interval = 64
            onThreads(1) { [center] _ in for _ in 0..<(10 * 64) { center.post(Message()) } }
        }
        let posts = events.filter { $0.kind == .posted }
        // Which of a thread's first posts is traced is as good as random.
        #expect(posts.count == 10)
        #expect(posts.first.map { (1...64).contains($0.weight) } == true)
        #expect(posts.dropFirst().allSatisfy { $0.weight == 64 })
        #expect(events.count { $0.kind == .called } == 10)
        token.cancel()
    }

    @Test func `A shorter interval counts from the next post on`() {
        struct Message: NotificationMessage { typealias Subject = Item }
        let token = center.observe(Message.self) { _ in }
        let events = events(of: Message.self) {
            // Whatever is left of an earlier interval.
            center.post(Message())
            TraceSampling.interval = TraceSampling.longest
            for _ in 0..<100 { center.post(Message()) }
            TraceSampling.interval = 1
            for _ in 0..<3 { center.post(Message()) }
        }
        let weights = events.filter { $0.kind == .posted }.map(\.weight)
        #expect(weights.dropFirst() == [1, 100, 1, 1])
        token.cancel()
    }

    @Test
    func `A thread's next post counts as one, however long the interval has become since the last`()
    {
        struct Message: NotificationMessage { typealias Subject = Item }
        let events = events(of: Message.self) {
            for interval: UInt32 in [1, 512, 8] {
                TraceSampling.interval = interval
                center.post(Message())
            }
            for _ in 0..<8 { center.post(Message()) }
        }
        #expect(events.filter { $0.kind == .posted }.map(\.weight).dropFirst() == [1, 8])
    }

    @Test func `One post each of many threads are traced as rarely as those of one`() {
        struct Message: NotificationMessage { typealias Subject = Item }
        let events = events(of: Message.self) {
            TraceSampling.interval = 64
            // All threads live until all have posted, so that each has its own count.
            let posted = Gate(64)
            onThreads(64) { [center] _ in
                center.post(Message())
                posted.arriveAndWait()
            }
        }
        let weights = events.filter { $0.kind == .posted }.map { Int($0.weight) }
        // One is expected. A sum of the weights would say nothing: a thread goes on with the count
        // of an earlier one, to which the posts of other tests belong that run at the same time.
        #expect(weights.count <= 16)
        #expect(weights.allSatisfy { $0 <= 64 })
    }

    @Test func `Posts that were counted still count when a handler has made the interval shorter`()
    {
        struct Message: NotificationMessage { typealias Subject = Item }
        struct Mail: NotificationMessage { typealias Subject = Item }
        struct Inner: NotificationMessage { typealias Subject = Item }
        let mailbox = DeliveryMailbox(target: HandDrained())
        let token = center.observe(Mail.self, on: .mailbox(mailbox)) { [center] _ in
            TraceSampling.interval = 4
            center.post(Inner())
        }
        let events = events(of: Message.self) {
            center.post(Mail())
            TraceSampling.interval = TraceSampling.longest
            for _ in 0..<3 { center.post(Message()) }
            mailbox.drain()
            for _ in 0..<8 { center.post(Message()) }
        }
        #expect(events.filter { $0.kind == .posted }.map(\.weight) == [1, 6, 4])
        token.cancel()
    }

    @Test func `A delivery that is traced does not count among the thread's own posts`() {
        struct Message: NotificationMessage { typealias Subject = Item }
        struct Mail: NotificationMessage { typealias Subject = Item }
        let mailbox = DeliveryMailbox(target: HandDrained())
        let tokens = [
            center.observe(Message.self) { _ in },
            center.observe(Mail.self, on: .mailbox(mailbox)) { _ in },
        ]
        let events = events(of: Message.self, Mail.self) {
            for _ in 0..<80 { center.post(Mail()) }
            TraceSampling.interval = 8
            onThreads(1) { [center] _ in
                for _ in 0..<80 {
                    center.post(Message())
                    mailbox.shared.deliver(atMost: 1)
                }
            }
        }
        let sampled = events.filter { $0.kind == .posted }.suffix(10)
        #expect(events.count { $0.kind == .posted } == 90)
        #expect(sampled.dropFirst().allSatisfy { $0.weight == 8 })
        #expect(events.count { $0.kind == .delivered } == 80)
        for token in tokens { token.cancel() }
    }

    @Test func `Posts need not note their call sites`() {
        // The names of topics are known as long as somebody traces.
        let tracing = CenterDirectory.beginTracing()
        defer { CenterDirectory.endTracing(tracing) }
        struct Message: NotificationMessage { typealias Subject = Item }
        let token = center.observe(Message.self) { _ in }
        defer { TraceSampling.notesSites = true }
        let events = events(of: Message.self) {
            TraceSampling.notesSites = false
            center.post(Message())
            TraceSampling.notesSites = true
            center.post(Message())
        }
        #expect(events.filter { $0.kind == .posted }.map { $0.detail == 0 } == [true, false])
        #expect(
            TraceTopics.after(0).contains { UInt64($0.id) == events.first?.subject },
            "the topic has a name, also without a site")
        token.cancel()
    }

    @Test func `Message types are named, no matter how many names were posted before`() {
        var table = TraceTopicTable(mostNames: 2)
        let topics: [Topic] = [
            .name("a"), .name("b"), .name("a"), .name("c"), .type(Int.self), .type(String.self),
            .type(Int.self),
        ]
        for topic in topics { table.add(topic, topic.description) }
        #expect(table.topics.map(\.text) == ["\"a\"", "\"b\"", "Swift.Int", "Swift.String"])
    }

    @Test func `A message that leaves no room for its post's number is traced as others are`() {
        struct Large: NotificationMessage {
            typealias Subject = Item
            var words = (1, 2, 3)
        }
        let mailbox = DeliveryMailbox(target: HandDrained())
        let heard = Log<Int>()
        let token = center.observe(Large.self, on: .mailbox(mailbox)) { heard.add($0.words.2) }
        let events = events(of: Large.self) {
            center.post(Large())
            mailbox.drain()
        }
        #expect(events.map(\.kind) == [.posted, .queued, .delivered])
        #expect(heard.entries == [3])
        token.cancel()
    }

    @Test func `A delivery that waits for a context that has gone is an expired one`() {
        struct Message: NotificationMessage { typealias Subject = Item }
        let mailbox = DeliveryMailbox(target: HandDrained())
        let token = center.observe(Message.self, on: .mailbox(mailbox)) { _ in }
        let events = events(of: Message.self) {
            center.post(Message())
            mailbox.shared.expireWaiting()
        }
        #expect(events.map(\.kind) == [.posted, .queued, .expired])
        token.cancel()
    }

    @Test func `A delivery through a mailbox whose lateness is watched is traced`() {
        struct Message: NotificationMessage {
            typealias Subject = Item
            var number = 7
        }
        let mailbox = DeliveryMailbox(target: HandDrained())
        let heard = Log<Int>()
        let token = center.observe(Message.self, on: .mailbox(mailbox)) { heard.add($0.number) }
        center.onLate(after: .seconds(3600), on: .mailbox(mailbox)) { _ in }
        let events = events(of: Message.self) {
            center.post(Message())
            mailbox.drain()
        }
        #expect(events.map(\.kind) == [.posted, .queued, .delivered])
        #expect(heard.entries == [7])
        token.cancel()
    }

    @Test func `A call site has a number of its own, and frames that lead to it`() {
        struct Message: NotificationMessage { typealias Subject = Item }
        let token = center.observe(Message.self) { _ in }
        @inline(never) func here() { center.post(Message()) }
        @inline(never) func there() { center.post(Message()) }
        var frames: [UInt32: CallSites.Frames] = [:]
        let events = events(of: Message.self) {
            for _ in 0..<2 {
                here()
                there()
            }
            for site in CallSites.after(0) { frames[site.number] = site.frames }
        }
        let sites = events.filter { $0.kind == .posted }.map(\.detail)
        #expect(sites.count == 4)
        #expect(sites[0] == sites[2] && sites[1] == sites[3] && sites[0] != sites[1])
        for site in sites.prefix(2) { #expect(frames[UInt32(site)]?.count ?? 0 > 2) }
        token.cancel()
    }

    @Test func `A center that is made while somebody traces is traced, too`() {
        struct Message: NotificationMessage { typealias Subject = Item }
        let events = events(of: Message.self) {
            let later = MessageCenter()
            later.post(Message())
        }
        #expect(events.map(\.kind) == [.posted, .unheard])
    }

    @Test func `Posts look for nobody who looks on, once tracing and counting have ended`() {
        let hooks = CenterHooks()
        /// Three values: a tool looks on, a tool counts, a tool traces.
        func uses() -> [Bool] { [hooks.hasOnlookers, hooks.countsInline, hooks.traces] }
        #expect(uses() == [false, false, false])
        hooks.traces = true
        #expect(uses() == [true, false, true])
        hooks.isWatched = true
        hooks.traces = false
        #expect(uses() == [true, true, false])
        hooks.isWatched = false
        #expect(uses() == [false, false, false])
    }
}

extension ObjectIdentifier {
    /// The topic's hash of the message type with this identifier.
    fileprivate var topicHash: UInt { Hash.mix(UInt(bitPattern: self)) }
}

/// A ring of events between the thread that writes it and the threads that read it.
@Suite("Rings of trace events") struct TraceRingTests {
    /// A ring without a thread. The rings of the process are emptied when no tool traces any more.
    private func ring() throws -> TraceRing { try #require(TraceRing(before: nil)) }

    private static func event(_ number: UInt64) -> TraceEvent {
        TraceEvent(
            .called, ticks: number, post: number, subject: number,
            detail: UInt32(truncatingIfNeeded: number))
    }

    @Test func `Events are read in their order, and those overwritten before are counted exactly`()
        throws
    {
        let ring = try ring()
        var cursor = ring.end
        for number in 1...10 { ring.append(Self.event(UInt64(number))) }
        var read: [UInt64] = []
        #expect(ring.read(from: &cursor) { read.append($0.ticks) } == 0)
        #expect(read == Array(1...10))
        read = []
        let count = TraceRing.capacity + 100
        for number in 1...count { ring.append(Self.event(number)) }
        // The writer may be about to overwrite the oldest, so one event less than fit is read.
        #expect(ring.read(from: &cursor) { read.append($0.ticks) } == 101)
        #expect(read == Array(102...count))
        #expect(ring.read(from: &cursor) { _ in Issue.record("nothing is new") } == 0)
    }

    @Test func `A reader beside a writer sees whole events only, and misses none uncounted`() throws
    {
        let ring = try ring()
        let last: UInt64 = 400_000
        let isOver = Flag()
        let problems = Log<String>()
        onThreads(2) { index in
            if index == 0 {
                for number in 1...last { ring.append(Self.event(number)) }
                isOver.set()
                return
            }
            var cursor: TraceRing.Cursor = 0
            var expected: UInt64 = 1
            repeat {
                var events: [TraceEvent] = []
                expected += ring.read(from: &cursor) { events.append($0) }
                for event in events {
                    if event != Self.event(expected) { problems.add("\(event), not \(expected)") }
                    expected += 1
                }
            } while !isOver.isSet || cursor < ring.end
            if expected != last + 1 { problems.add("\(expected) is next at the end") }
        }
        #expect(problems.entries.isEmpty, "\(problems.entries.prefix(3))")
    }

    @Test func `A thread that ends leaves its ring to the next one, which says so`() {
        let threads = Log<Int32>()
        for _ in 0..<2 {
            onThreads(1) { _ in
                guard let ring = TraceRing.current else { return }
                var events: [TraceEvent] = []
                var cursor = max(ring.end, 1) - 1
                _ = ring.read(from: &cursor) { events.append($0) }
                #expect(events.map(\.kind) == [.thread])
                #expect(events.first?.subject == UInt64(ring.thread))
                threads.add(ring.thread)
            }
        }
        #expect(Set(threads.entries).count == 2)
    }
}

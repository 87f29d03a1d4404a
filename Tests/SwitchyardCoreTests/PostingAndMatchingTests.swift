// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Synchronization
import TestSupport
import Testing

@_spi(Engine) @testable import SwitchyardCore

@Suite("Posting and matching") struct PostingAndMatchingTests {
    let center = MessageCenter()

    @Test(.rule(1)) func `A handler may use the center freely, since no lock is held`() {
        let log = Log<Int>()
        let later = Log<ObservationToken>()
        let token = center.observe(Ping.self) { [center] ping in
            guard ping.number < 3 else { return }
            log.add(ping.number)
            later.add(center.observe(Tick.self) { _ in })
            _ = center.snapshot()
            // Another thread uses the center as well, while this handler runs.
            onThreads(1) { _ in
                later.add(center.observe(Ping.self) { _ in })
                center.post(Tick())
            }
            center.post(Ping(number: ping.number + 1))
        }
        center.post(Ping())
        #expect(log.entries == [0, 1, 2])
        token.cancel()
    }

    @Test(.rule(1)) func `A receipt says what a post did`() {
        let hand = DeliveryMailbox(target: HandDrained())
        let tokens = [
            center.observe(Ping.self) { _ in },
            center.observe(Ping.self, on: .mailbox(hand)) { _ in },
            center.observe(Ping.self, on: .mailbox(hand)) { _ in },
        ]
        let receipt = center.postAndReport(Ping())
        #expect(receipt.delivered == 1)
        #expect(receipt.queued == 2)
        #expect(!receipt.reachedNobody)
        for token in tokens { token.cancel() }
        #expect(center.postAndReport(Ping()).reachedNobody)
    }

    @Test(.rule(2))
    func
        `An observer added by a plain observer misses the post, also before one that is not plain`()
    {
        let (center, log) = (MessageCenter(), Log<String>())
        let mailbox = DeliveryMailbox(target: HandDrained())
        let added = Guarded<[ObservationToken]>([])
        let first = center.observe(Ping.self) { _ in
            let token = center.observe(Ping.self) { _ in log.add("added") }
            added.withLock { $0.append(token) }
        }
        let second = center.observe(Ping.self, on: .mailbox(mailbox)) { _ in log.add("queued") }
        // A third observation gives the list room for the one that is added.
        let third = center.observe(Ping.self) { _ in log.add("third") }
        center.post(Ping())
        mailbox.drain()
        #expect(log.entries == ["third", "queued"])
        for token in [first, second, third] { token.cancel() }
        _ = added.exchange([])
    }

    @Test(.rule(2)) func `An observer added during a post misses that post`() {
        let log = Log<String>()
        let added = Log<ObservationToken>()
        let token = center.observe(Ping.self) { [center] _ in
            log.add("first")
            for _ in 0..<10 {
                added.add(center.observe(Ping.self) { _ in log.add("added") })
            }
        }
        center.post(Ping())
        #expect(log.entries == ["first"])
        center.post(Ping())
        #expect(log.entries.filter { $0 == "added" }.count == 10)
        token.cancel()
    }

    @Test(.rule(3))
    func `Inline handlers have run when post returns, and other deliveries wait in mailboxes`() {
        let log = Log<String>()
        let hand = DeliveryMailbox(target: HandDrained())
        let here = center.observe(Ping.self) { _ in log.add("here") }
        let there = center.observe(Ping.self, on: .mailbox(hand)) { _ in log.add("there") }
        center.post(Ping())
        #expect(log.entries == ["here"])
        #expect(hand.depth == 1)
        hand.drain()
        #expect(log.entries == ["here", "there"])
        here.cancel()
        there.cancel()
    }

    @Test(.rule(4)) func `Nil is a wildcard for observers, not for posts`() {
        let (one, other) = (Item(), Item())
        let log = Log<String>()
        let tokens = [
            center.observe(Ping.self) { _ in log.add("any") },
            center.observe(Ping.self, of: one) { _ in log.add("one") },
            center.observe(Ping.self, of: other) { _ in log.add("other") },
        ]
        center.post(Ping(), subject: one)
        #expect(log.entries == ["any", "one"])
        center.post(Ping())
        #expect(log.entries == ["any", "one", "any"])
        withExtendedLifetime((tokens, one, other)) {}
    }

    @Test(.rule(5)) func `A new object at a dead one's address gets none of its notifications`() {
        var strangers = 0
        let log = Log<Int>()
        var tokens: [ObservationToken] = []
        var addresses = Set<UInt>()
        for _ in 0..<1000 {
            let item = Item()
            addresses.insert(UInt(bitPattern: ObjectIdentifier(item).hashValue))
            tokens.append(center.observe(Ping.self, of: item) { log.add($0.number) })
        }
        // Every object above is dead. An address whose memory is free would soon be used again.
        for _ in 0..<1000 {
            let item = Item()
            center.post(Ping(), subject: item)
            strangers += log.entries.count
        }
        #expect(strangers == 0)
        withExtendedLifetime(tokens) {}
    }

    @Test(.rule(5)) func `A registration does not keep its subject alive`() {
        var item: Item? = Item()
        let witness = item.map { Witness($0) }
        let token = item.map { center.observe(Ping.self, of: $0) { _ in } }
        #expect(witness?.isAlive == true)
        item = nil
        #expect(witness?.isAlive == false)
        token?.cancel()
    }

    @Test(.rule(5)) func `A post from deinit reaches the object's observers inline`() {
        final class Leaving: Sendable {
            let center: MessageCenter
            init(_ center: MessageCenter) { self.center = center }
            deinit { center.post(Left(), subject: self) }
        }
        struct Left: NotificationMessage { typealias Subject = Leaving }

        let log = Log<String>()
        let hand = DeliveryMailbox(target: HandDrained())
        var object: Leaving? = Leaving(center)
        let tokens = object.map { object in
            [
                center.observe(Left.self, of: object) { _ in log.add("inline") },
                center.observe(Left.self, of: object, on: .mailbox(hand)) { _ in log.add("queued")
                },
            ]
        }
        object = nil
        #expect(log.entries == ["inline"])
        hand.drain()
        #expect(log.entries == ["inline", "queued"])
        withExtendedLifetime(tokens) {}
    }

    @Test(.rule(5)) func `A post from a deinit that has ended many observations is heard`() {
        final class Leaving: Sendable {
            struct Left: NotificationMessage { typealias Subject = Leaving }
            struct Part: NotificationMessage { typealias Subject = Item }

            let center: MessageCenter
            let parts: [ObservationToken]
            init(_ center: MessageCenter, parts: Int) {
                self.center = center
                // One for each of these subjects, so that the center tidies up when they end.
                self.parts = (0..<parts).map { _ in
                    center.observe(Part.self, of: Item()) { _ in }
                }
            }
            deinit {
                for part in parts { part.cancel() }
                center.post(Left(), subject: self)
            }
        }
        for parts in [10, 100, 1_000] {
            let heard = Counter()
            var object: Leaving? = Leaving(center, parts: parts)
            let token = object.map {
                center.observe(Leaving.Left.self, of: $0) { _ in heard.add() }
            }
            object = nil
            #expect(heard.value == 1)
            token?.cancel()
        }
    }

    @Test(.rule(5))
    func `A queued delivery from deinit says in its receipt that the object is gone`() {
        final class Leaving: Sendable {
            let center: MessageCenter
            let receipts: Log<PostReceipt>
            init(_ center: MessageCenter, _ receipts: Log<PostReceipt>) {
                self.center = center
                self.receipts = receipts
            }
            deinit { receipts.add(center.postAndReport(Left(), subject: self)) }
        }
        struct Left: NotificationMessage { typealias Subject = Leaving }

        let receipts = Log<PostReceipt>()
        let hand = DeliveryMailbox(target: HandDrained())
        let token = center.observe(Left.self, on: .mailbox(hand)) { _ in }
        do { _ = Leaving(center, receipts) }
        #expect(receipts.entries.map(\.objectIsGone) == [true])
        token.cancel()
    }

    @Test(.rule(5)) func `Registrations for dead subjects are swept by adding`() {
        // A subject whose deinit may still be under way is left alone for a while.
        center.engine.registry.longestDeinit.store(0, ordering: .relaxed)
        let released = Counter()
        var tokens: [ObservationToken] = []
        for _ in 0..<2000 {
            let probe = Probe(released)
            tokens.append(center.observe(Ping.self, of: Item()) { _ in probe.touch() })
        }
        #expect(released.value > 1000)
        #expect(center.snapshot().entries.count < 1000)
    }

    @Test(.rule(5)) func `Registrations for a dead subject end as others come, whatever these are`()
    {
        center.engine.registry.longestDeinit.store(0, ordering: .relaxed)
        let released = Counter()
        let tokens = (0..<10).map { _ in
            let probe = Probe(released)
            return center.observe(Ping.self, of: Item()) { _ in probe.touch() }
        }
        for _ in 0..<300 { center.observe(Tick.self) { _ in }.cancel() }
        #expect(released.value == 10 && tokens.allSatisfy(\.isCancelled))
    }

    @Test(.rule(5, 28))
    func `A post that waits when its object dies is delivered, and then the registration ends`() {
        center.engine.registry.longestDeinit.store(0, ordering: .relaxed)
        let (log, mailbox) = (Log<Int>(), DeliveryMailbox(target: HandDrained()))
        var item: Item? = Item()
        let tokens = [false, true].map { isPaused in
            let token = center.observe(Ping.self, of: item, on: .mailbox(mailbox)) {
                log.add($0.number)
            }
            if isPaused { token.pause() }
            return token
        }
        for number in 1...2 {
            if let item { center.post(Ping(number: number), subject: item) }
        }
        item = nil
        for _ in 0..<600 { center.observe(Tick.self) { _ in }.cancel() }
        while mailbox.depth > 0 { mailbox.drain() }
        #expect(log.entries == [1, 2])
        #expect(tokens.map(\.isCancelled) == [true, false])
        tokens[1].resume()
        mailbox.drain()
        #expect(log.entries == [1, 2, 1, 2])
        for _ in 0..<600 { center.observe(Tick.self) { _ in }.cancel() }
        mailbox.drain()
        #expect(tokens[1].isCancelled)
    }

    @Test(.rule(6)) func `A value matches by equality`() {
        let log = Log<String>()
        let token = center.observe(Tick.self, of: "noon") { _ in log.add("noon") }
        center.post(Tick(), subject: ["no", "on"].joined())
        center.post(Tick(), subject: "midnight")
        #expect(log.entries == ["noon"])
        token.cancel()
    }

    @Test(.rule(6)) func `Names match as strings do, canonically`() {
        let engine = center.engine
        let log = Log<String>()
        let hears = engine.add(
            ClosureHandler<Int> { _ in log.add("heard") }, topic: .name("caf\u{E9}"),
            subject: .none, mailbox: nil, options: .standard, origin: RegistrationSite("test", 0))
        let topic = Topic.name("cafe\u{301}")
        _ = engine.deliver(
            1, of: Posting(topic, about: .none), to: engine.registry.match(topic, .none))
        #expect(log.entries == ["heard"])
        hears.cancel()
    }

    @Test func `A name's hash is that of its characters, wherever they are stored`() {
        // Up to 15 bytes a string is its own storage, unless it was longer once.
        let characters = "CounterChanged, and something longer"
        for count in 0...characters.utf8.count {
            let short = String(characters.prefix(count))
            var stored = characters + characters
            stored.removeLast(stored.utf8.count - count)
            #expect(stored == short)
            #expect(Hash.of(stored) == Hash.of(short), "\(count) bytes")
            #expect(Hash.of(short + "\0") != Hash.of(short))
        }
    }

    @Test(.rule(6))
    func `Values that are equal as AnyHashable are one object, and metatypes match by identity`() {
        struct About: NotificationMessage { typealias Subject = any Sendable }
        let log = Log<String>()
        let tokens = [
            center.observe(About.self, of: 1) { _ in log.add("1") },
            center.observe(About.self, of: Item.self) { _ in log.add("Item") },
        ]
        center.post(About(), subject: 1.0)
        center.post(About(), subject: UInt8(1))
        center.post(About(), subject: "1")
        center.post(About(), subject: Item.self)
        center.post(About(), subject: Probe.self)
        #expect(log.entries == ["1", "1", "Item"])
        withExtendedLifetime(tokens) {}
    }

    @Test(.rule(6)) func `Values match whenever AnyHashable holds them equal, and only then`() {
        struct About: NotificationMessage { typealias Subject = any Sendable & Hashable }
        let values: [any Sendable & Hashable] = [
            1, Int8(1), UInt64(1), 1.0, Float(1), -1, Int64(-1), -1.0, 1.5, Float(1.5), UInt64.max,
            Double(UInt64.max), Int.min, 0, 0.0, -0.0, Double.infinity, "1", "", "caf\u{E9}",
            "cafe\u{301}", Substring("1"), Character("1"), true, false, [1], ["1"],
            Float80OrDouble(Int.max), Int.max,
        ]
        for value in values {
            let heard = Counter()
            let token = center.observe(About.self, of: value) { _ in heard.add() }
            for other in values { center.post(About(), subject: other) }
            let equal = values.count { AnyHashable($0) == AnyHashable(value) }
            #expect(heard.value == equal, "\(type(of: value)) \(value)")
            token.cancel()
        }
    }

    @Test(.rule(6)) func `A value in an AnyHashable is that value`() {
        let engine = center.engine
        for value in ["hello", "a string that is not its own storage", 1, 1.5] as [AnyHashable] {
            let heard = Counter()
            let hears = engine.add(
                ClosureHandler<Int> { _ in heard.add() }, topic: .name("name"),
                subject: Subject(value.base), mailbox: nil, options: .standard,
                origin: RegistrationSite("test", 0))
            for subject in [Subject(value), Subject(value.base), Subject(Optional(value) as Any)] {
                let topic = Topic.name("name")
                _ = engine.deliver(
                    1, of: Posting(topic, about: subject), to: engine.registry.match(topic, subject)
                )
            }
            #expect(heard.value == 3, "\(value)")
            hears.cancel()
        }
    }

    @Test(.rule(5)) func `An instance in an AnyHashable is that instance, and is not kept alive`() {
        final class Equal: Hashable, Sendable {
            static func == (left: Equal, right: Equal) -> Bool { true }
            func hash(into hasher: inout Hasher) {}
        }
        struct About: NotificationMessage { typealias Subject = AnyHashable }
        let (heard, other) = (Counter(), Equal())
        var object: Equal? = Equal()
        guard let observed = object else { return }
        let token = center.observe(About.self, of: AnyHashable(observed)) { _ in heard.add() }
        center.post(About(), subject: AnyHashable(observed))
        center.post(About(), subject: AnyHashable(other))
        #expect(heard.value == 1)
        #expect(Subject(AnyHashable(observed)) == Subject(observed))
        let witness = Witness(observed)
        _ = consume observed
        object = nil
        #expect(!witness.isAlive)
        token.cancel()
    }

    @Test(.rule(5)) func `An instance behind a protocol is that instance`() {
        final class Fault: Error, Sendable {}
        struct About: NotificationMessage { typealias Subject = any Error }
        let fault = Fault()
        let wrapped: any Error = fault
        let log = Log<String>()
        let tokens = [
            center.observe(About.self, of: fault) { _ in log.add("plain") },
            center.observe(About.self, of: wrapped) { _ in log.add("wrapped") },
        ]
        center.post(About(), subject: fault)
        center.post(About(), subject: wrapped)
        #expect(log.entries == ["plain", "wrapped", "plain", "wrapped"])
        withExtendedLifetime(tokens) {}
    }

    @Test(.rule(6)) func `A name with the Kelvin sign is the name with a K`() {
        #expect(Topic.name("\u{212A}").hash == Topic.name("K").hash)
        #expect(Topic.name("\u{212A}").name == "K")
    }

    @Test(.rule(6)) func `Posting a value without equality reaches only wildcard observers`() {
        struct Odd: Sendable {}
        struct About: NotificationMessage { typealias Subject = Odd }
        let log = Log<String>()
        let token = center.observe(About.self) { _ in log.add("any") }
        center.post(About(), subject: Odd())
        #expect(log.entries == ["any"])
        token.cancel()
    }

    @Test(.rule(6)) func `Observing a value without equality stops the program`() async {
        await #expect(processExitsWith: .failure) {
            struct Odd: Sendable {}
            struct About: NotificationMessage { typealias Subject = Odd }
            _ = MessageCenter().observe(About.self, of: Odd()) { _ in }
        }
    }

    /// A value whose equality is for the main actor alone.
    @MainActor private struct Mine: @MainActor Hashable, Sendable {
        nonisolated static let asked = Counter()

        let number: Int

        nonisolated init(_ number: Int) { self.number = number }

        static func == (left: Mine, right: Mine) -> Bool {
            asked.add()
            return left.number == right.number
        }

        func hash(into hasher: inout Hasher) {
            Mine.asked.add()
            hasher.combine(number)
        }
    }

    private struct AboutMine: NotificationMessage { typealias Subject = Mine }

    @Test(.rule(21))
    func `A subject whose equality belongs to the main actor is compared on no thread`() async {
        let log = Log<String>()
        let token = center.observe(AboutMine.self) { _ in log.add("any") }
        center.post(AboutMine(), subject: Mine(1))
        await MainActor.run { center.post(AboutMine(), subject: Mine(1)) }
        #expect(log.entries == ["any", "any"])
        await MainActor.run {
            let inside: [Any] = [Mine(1), [Mine(1)], Mine?.some(Mine(1)) as Any]
            for object in inside { #expect(Subject(object).isUnmatchable) }
            let hashable = AnyHashable(Mine(1))
            #expect(Subject(hashable).isUnmatchable)
        }
        #expect(!Subject(AnyHashable([1])).isUnmatchable)
        #expect(Mine.asked.value == 0)
        token.cancel()
    }

    /// An element whose equality is for the main actor alone.
    @MainActor private struct Element: @MainActor Hashable {
        nonisolated static let asked = Counter()

        let number: Int

        static func == (left: Element, right: Element) -> Bool {
            asked.add()
            return left.number == right.number
        }

        func hash(into hasher: inout Hasher) {
            Element.asked.add()
            hasher.combine(number)
        }
    }

    @Test(.rule(21))
    func `A set of elements whose equality belongs to the main actor is compared on no thread`()
        async
    {
        await MainActor.run {
            let set = Set([Element(number: 1), Element(number: 2)])
            let objects: [Any] = [
                set, [Element(number: 1): 1], [1: set], [[], set], [Set<Element>?.none, set],
                [[1: [set]]], AnyHashable(set),
            ]
            for object in objects {
                let asked = Element.asked.value
                #expect(Subject(object).isUnmatchable, "\(type(of: object))")
                #expect(Element.asked.value == asked, "\(type(of: object))")
            }
        }
        let free: [Any] = [
            Set([1]), [1: "a"], [[1], []], [Int?.none, 1], Set<AnyHashable>([1, "a"]),
        ]
        for object in free { #expect(!Subject(object).isUnmatchable, "\(object)") }
    }

    @Test(.rule(21))
    func `Observing a value whose equality belongs to the main actor stops the program`() async {
        await #expect(processExitsWith: .failure) {
            _ = MessageCenter().observe(AboutMine.self, of: Mine(1)) { _ in }
        }
        await #expect(processExitsWith: .failure) {
            await MainActor.run {
                _ = MessageCenter().observe(AboutMine.self, of: Mine(1)) { _ in }
            }
        }
    }

    @Test func `A search keeps the records that it reads, whatever is registered meanwhile`() {
        struct Slow: Hashable, Sendable {
            let compare: @Sendable () -> Void
            static func == (left: Slow, right: Slow) -> Bool {
                left.compare()
                right.compare()
                return true
            }
            func hash(into hasher: inout Hasher) { hasher.combine(1) }
        }
        struct About: NotificationMessage { typealias Subject = Slow }
        let kept = Log<Bool>()
        let token = center.observe(About.self, of: Slow(compare: {})) { _ in }
        let slow = Slow(compare: { [center] in
            // The table is rebuilt several times while this search is in it.
            let tokens = (0..<100).map { center.observe(Tick.self, of: "\($0)") { _ in } }
            kept.add(!center.engine.registry.state.withLock { $0.retired.isEmpty })
            for token in tokens { token.cancel() }
        })
        center.post(About(), subject: slow)
        #expect(kept.entries.contains(true))
        token.cancel()
        for _ in 0..<64 { center.observe(Tick.self) { _ in }.cancel() }
        #expect(center.engine.registry.state.withLock { $0.retired.isEmpty })
    }

    @Test(.rule(1)) func `A subject whose own equality posts does not disturb the search`() {
        struct Nosy: Hashable, Sendable {
            let center: MessageCenter
            static func == (left: Nosy, right: Nosy) -> Bool {
                left.center.post(Ping())
                return true
            }
            func hash(into hasher: inout Hasher) { hasher.combine(1) }
        }
        struct About: NotificationMessage { typealias Subject = Nosy }
        let log = Log<String>()
        let tokens = [
            center.observe(About.self, of: Nosy(center: center)) { _ in log.add("first") },
            center.observe(About.self, of: Nosy(center: center)) { _ in log.add("second") },
            center.observe(Ping.self) { _ in log.add("ping") },
        ]
        center.post(About(), subject: Nosy(center: center))
        #expect(log.entries.filter { $0 != "ping" } == ["first", "second"])
        #expect(log.entries.contains("ping"))
        withExtendedLifetime(tokens) {}
    }

    @Test(.rule(1)) func `A subject whose own equality observes is registered all the same`() {
        struct Curious: Hashable, Sendable {
            let wasAsked: @Sendable () -> Void
            static func == (left: Curious, right: Curious) -> Bool {
                left.wasAsked()
                return true
            }
            func hash(into hasher: inout Hasher) { hasher.combine(1) }
        }
        struct About: NotificationMessage { typealias Subject = Curious }
        let (asked, log, tokens) = (Counter(), Log<String>(), Log<ObservationToken>())
        let curious = Curious(wasAsked: { [center] in
            asked.add()
            // A search that never ends is given up, so that the test fails instead.
            guard asked.value < 100 else { return }
            tokens.add(center.observe(Tick.self, of: "\(asked.value)") { _ in })
        })
        tokens.add(center.observe(About.self, of: curious) { _ in log.add("first") })
        tokens.add(center.observe(About.self, of: curious) { _ in log.add("second") })
        #expect((1..<10).contains(asked.value))
        center.post(About(), subject: curious)
        #expect(log.entries == ["first", "second"])
        for token in tokens.entries { token.cancel() }
    }
}

#if arch(x86_64) && !os(Android)
private typealias Float80OrDouble = Float80
#else
private typealias Float80OrDouble = Double
#endif

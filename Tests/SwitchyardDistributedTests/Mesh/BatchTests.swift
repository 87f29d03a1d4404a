// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import SwitchyardCore
import SwitchyardDistributed
import SwitchyardWire
import TestSupport
import Testing

/// Many notifications that are read at once: each is delivered as if it had come alone.
@Suite("Notifications that come at once", .serialized, .timeLimit(.minutes(5)))
struct BatchTests {
    private static let name = Notification.Name("A")

    /// A center and a peer that writes many notifications at once.
    private struct Scene {
        let center: DistributedNotificationCenter
        let peer: ScriptedPeer

        init() throws {
            let network = ScriptedNetwork()
            center = try network.center()
            peer = network.call()
            peer.greet()
            _ = try #require(peer.hear(until: .sync))
        }

        /// Writes notifications with their numbers as payload, and waits until they have been
        /// handled.
        func post(_ topics: [(name: String, object: String?)]) throws {
            peer.say { frames in
                for (index, topic) in topics.enumerated() {
                    let number = UInt64(index + 1)
                    frames.append(
                        bytes: Raw.notification(
                            number, name: Array(topic.name.utf8),
                            object: topic.object.map { Array($0.utf8) }, kind: .bytes,
                            payload: [UInt8(truncatingIfNeeded: number)]))
                }
                frames.frame(.ping, 1)
            }
            #expect(peer.hear(until: .pong)?.type == .pong)
        }

        func post(_ count: Int) throws {
            try post(Array(repeating: ("A", nil), count: count))
        }
    }

    private static func observe(
        _ center: DistributedNotificationCenter, of object: String? = nil,
        options: ObservationOptions = .standard, in log: Log<String>, as mark: String = ""
    ) -> ObservationToken {
        center.observe(undecoded: name, of: object, on: .poster, options: options) {
            log.add("\(mark)\($0.withUnsafeBytes { $0[0] })")
        }
    }

    @Test(.rule(36)) func `They are heard in their order, by all their observers`() throws {
        let scene = try Scene()
        let log = Log<String>()
        let tokens = ["a", "b", "c"].map { Self.observe(scene.center, in: log, as: $0) }
        try scene.post(100)
        #expect(
            log.entries == (1...100).flatMap { number in ["a", "b", "c"].map { "\($0)\(number)" } })
        withExtendedLifetime(tokens) {}
    }

    @Test(.rule(4)) func `Each is matched by its own name and object`() throws {
        let scene = try Scene()
        let log = Log<String>()
        let tokens = [
            Self.observe(scene.center, in: log, as: "any"),
            Self.observe(scene.center, of: "x", in: log, as: "x"),
        ]
        try scene.post([("A", nil), ("A", nil), ("A", "x"), ("A", "y"), ("B", "x"), ("A", nil)])
        #expect(log.entries == ["any1", "any2", "any3", "x3", "any4", "any6"])
        withExtendedLifetime(tokens) {}
    }

    @Test(.rule(13)) func `A handler that cancels others ends them for the rest`() throws {
        let scene = try Scene()
        let log = Log<String>()
        let tokens = Guarded<[ObservationToken]>([])
        let first = scene.center.observe(undecoded: Self.name, on: .poster) { received in
            let number = received.withUnsafeBytes { $0[0] }
            log.add("a\(number)")
            guard number == 3 else { return }
            for token in tokens.withLock({ $0 }) { token.cancel() }
        }
        let others = ["b", "c"].map { Self.observe(scene.center, in: log, as: $0) }
        tokens.withLock { $0 = others }
        try scene.post(5)
        #expect(log.entries == ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "a4", "a5"])
        withExtendedLifetime(first) {}
    }

    @Test(.rule(2)) func `An observer that is added in a handler hears from the next on`() throws {
        let scene = try Scene()
        let log = Log<String>()
        let tokens = Guarded<[ObservationToken]>([])
        let first = scene.center.observe(undecoded: Self.name, on: .poster) {
            [unowned center = scene.center] received in
            let number = received.withUnsafeBytes { $0[0] }
            log.add("a\(number)")
            guard number == 2 else { return }
            let token = center.observe(undecoded: nil, on: .poster) {
                log.add("b\($0.withUnsafeBytes { $0[0] })")
            }
            tokens.withLock { $0.append(token) }
        }
        try scene.post([("A", nil), ("A", nil), ("A", nil), ("B", nil), ("A", nil)])
        #expect(log.entries == ["a1", "a2", "a3", "b3", "b4", "a5", "b5"])
        withExtendedLifetime(first) {}
    }

    @Test(.rule(16)) func `A one-shot observer hears the first alone`() throws {
        let scene = try Scene()
        let log = Log<String>()
        let tokens = [
            Self.observe(scene.center, options: .once, in: log, as: "once"),
            Self.observe(scene.center, in: log),
        ]
        try scene.post(3)
        #expect(log.entries == ["once1", "1", "2", "3"])
        withExtendedLifetime(tokens) {}
    }

    @Test(.rule(7)) func `A priority that comes in the middle counts from then on`() throws {
        let scene = try Scene()
        let log = Log<String>()
        let tokens = Guarded<[ObservationToken]>([])
        let first = scene.center.observe(undecoded: Self.name, on: .poster) {
            [unowned center = scene.center] received in
            let number = received.withUnsafeBytes { $0[0] }
            log.add("a\(number)")
            guard number == 1 else { return }
            let token = Self.observe(
                center, options: .priority(5), in: log, as: "b")
            tokens.withLock { $0.append(token) }
        }
        try scene.post(3)
        #expect(log.entries == ["a1", "b2", "a2", "b3", "a3"])
        withExtendedLifetime(first) {}
    }

    @Test(.rule(38)) func `A center that a handler suspends holds the rest`() throws {
        let scene = try Scene()
        let log = Log<String>()
        let token = scene.center.observe(
            undecoded: Self.name, on: .poster, options: .whenSuspended(.hold)
        ) { [unowned center = scene.center] received in
            let number = received.withUnsafeBytes { $0[0] }
            log.add("\(number)")
            if number == 2 { center.suspended = true }
        }
        try scene.post(4)
        #expect(log.entries == ["1", "2"])
        scene.center.suspended = false
        #expect(log.entries == ["1", "2", "3", "4"])
        withExtendedLifetime(token) {}
    }

    @Test(.rule(39))
    func `A malformed payload in the middle is reported, and the others are heard`()
        throws
    {
        let scene = try Scene()
        let log = Log<String>()
        let problems = Log<String>()
        scene.center.onProblem { problems.add($0.description) }
        let token = scene.center.observe(Self.name, on: .poster) { note in
            log.add("\(note.userInfo?.count ?? -1)")
        }
        scene.peer.say { frames in
            let empty: [UInt8] = [0x41, 0, 0, 0, 0]
            for (number, payload) in [empty, [0x41, 1], empty].enumerated() {
                frames.append(
                    bytes: Raw.notification(
                        UInt64(number + 1), kind: .propertyList, payload: payload))
            }
            frames.frame(.ping, 1)
        }
        #expect(scene.peer.hear(until: .pong)?.type == .pong)
        #expect(log.entries == ["0", "-1", "0"])
        #expect(problems.entries.count == 1)
        withExtendedLifetime(token) {}
    }

    @Test(.rule(8)) func `Observers elsewhere hear them in order beside those on the spot`() throws
    {
        let scene = try Scene()
        let (here, there, latest) = (Log<String>(), Log<String>(), Log<String>())
        let queue = DispatchQueue(label: "there")
        queue.suspend()
        let tokens = [
            Self.observe(scene.center, in: here),
            scene.center.observe(undecoded: Self.name, on: .dispatchQueue(queue)) {
                there.add("\($0.withUnsafeBytes { $0[0] })")
            },
            scene.center.observe(
                undecoded: Self.name, on: .dispatchQueue(queue),
                options: .bounded(.dropOldest(above: 2))
            ) { latest.add("\($0.withUnsafeBytes { $0[0] })") },
        ]
        try scene.post(5)
        #expect(here.entries == ["1", "2", "3", "4", "5"])
        queue.resume()
        #expect(there.wait(for: 5) == ["1", "2", "3", "4", "5"])
        #expect(latest.wait(for: 2) == ["4", "5"])
        withExtendedLifetime(tokens) {}
    }

    @Test func `What observers keep of them stays what it was`() throws {
        let scene = try Scene()
        let kept = Log<ReceivedNotification>()
        let notes = Log<[UInt8]>()
        let tokens = [
            scene.center.observe(undecoded: Self.name, on: .poster) { kept.add($0) },
            scene.center.observe(Self.name, on: .poster) { note in
                let data = note.userInfo?[DistributedNotificationCenter.dataKey] as? Data
                notes.add(Array(data ?? Data()))
            },
        ]
        try scene.post(3)
        #expect(kept.entries.map(\.payload.bytes) == [[1], [2], [3]])
        #expect(notes.entries == [[1], [2], [3]])
        withExtendedLifetime(tokens) {}
    }

    @Test(.rule(18)) func `An observer object that dies in the middle hears no more`() throws {
        final class Hearer: Sendable {
            let log: Log<String>
            init(_ log: Log<String>) { self.log = log }
            func hear(_ note: Notification) { log.add("hearer") }
        }
        let scene = try Scene()
        let log = Log<String>()
        let hearer = Guarded<Hearer?>(Hearer(log))
        if let object = hearer.withLock({ $0 }) {
            scene.center.observe(Self.name, with: object, Hearer.hear, on: .poster)
        }
        let token = scene.center.observe(Self.name, on: .poster) { _ in
            log.add("closure")
            if log.entries.count == 4 { _ = hearer.exchange(nil) }
        }
        try scene.post(4)
        #expect(log.entries == ["hearer", "closure", "hearer", "closure", "closure", "closure"])
        withExtendedLifetime(token) {}
    }
}

extension ByteWriter {
    fileprivate mutating func append(bytes: [UInt8]) {
        bytes.withUnsafeBytes { append(bytes: $0) }
    }
}

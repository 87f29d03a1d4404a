// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Switchyard
import SwitchyardDistributedTesting
import Synchronization
import TestSupport
import Testing

@testable import SwitchyardDistributed

/// The interface of the distributed center, on a network in memory.
@Suite("The distributed center", .timeLimit(.minutes(5)))
struct DistributedCenterTests {
    private struct Added: DistributedMessage, Equatable {
        static let name = Notification.Name("org.example.Added")
        var format: String
        var number = 0
    }

    private struct Unspeakable: DistributedMessage {
        var value = Double.nan
    }

    private let network = InMemoryNetwork()
    private let name = Notification.Name("A")

    /// Two centers that know each other. The problems of the first are noted.
    private func pair(
        _ problems: Log<String> = Log()
    ) async throws -> (DistributedNotificationCenter, DistributedNotificationCenter) {
        let a = try network.center(named: "a")
        let b = try network.center(named: "b")
        a.onProblem { problems.add("\($0.kind): \($0)") }
        #expect(await a.waitUntilReady(within: .seconds(60)).isEmpty)
        #expect(await b.waitUntilReady(within: .seconds(60)).isEmpty)
        return (a, b)
    }

    // MARK: - Threads and order

    @MainActor
    @Test(.rule(38)) func `A handler on main is queued, also when posted to on main`() async throws
    {
        let (a, _) = try await pair()
        let heard = Log<Bool>()
        let token = a.observe(name) { _ in heard.add(Thread.isMainThread) }
        a.post(name: name, object: nil, userInfo: nil)
        #expect(heard.entries.isEmpty)
        #expect(await heard.arrival(of: 1).count == 1)
        token.cancel()
    }

    @Test(.rule(38)) func `The center's own posts are heard on poster before post returns`()
        async throws
    {
        let (a, _) = try await pair()
        let heard = Log<String>()
        let token = a.observe(name, on: .poster) { heard.add($0.object as? String ?? "") }
        a.post(name: name, object: "x", userInfo: nil)
        #expect(heard.entries == ["x"])
        token.cancel()
    }

    @Test func `Apple's forms post, observe and remove`() async throws {
        let (a, b) = try await pair()
        let heard = Log<String>()
        let queue = OperationQueue()
        let observer = b.addObserver(
            forName: name, object: "x", suspensionBehavior: .deliverImmediately, queue: queue
        ) { note in heard.add("\(note.object ?? "-") \(note.userInfo?["k"] ?? "-")") }
        #expect(await b.waitUntilReady(within: .seconds(60)).isEmpty)
        a.postNotificationName(name, object: "y", deliverImmediately: true)
        a.postNotificationName(name, object: "x", userInfo: ["k": 1], deliverImmediately: true)
        a.postNotificationName(name, object: "x", userInfo: ["k": [2.5]], options: [])
        a.post(name: name, object: "x")
        a.post(Notification(name: name, object: "x", userInfo: ["k": "v"]))
        #expect(await heard.arrival(of: 4) == ["x 1", "x [2.5]", "x -", "x v"])
        b.removeObserver(observer, name: name, object: "x")
        #expect(await b.waitUntilReady(within: .seconds(60)).isEmpty)
        #expect(a.peers.map { $0.interests ?? [] } == [[]])
    }

    @Test(.rule(39))
    func
        `A notification with a message's properties becomes that message, and the other way round`()
        async throws
    {
        let (a, b) = try await pair()
        let messages = Log<Added>()
        let infos = Log<String>()
        let tokens = [
            b.observe(Added.self, on: .poster) { messages.add($0) },
            b.observe(Added.name, on: .poster) { infos.add("\($0.userInfo?["format"] ?? "-")") },
        ]
        #expect(await b.waitUntilReady(within: .seconds(60)).isEmpty)
        a.post(name: Added.name, object: nil, userInfo: ["format": "RTF", "number": 1])
        try a.post(Added(format: "PDF", number: 2), subject: "text")
        #expect(
            await messages.arrival(of: 2) == [
                Added(format: "RTF", number: 1), Added(format: "PDF", number: 2),
            ])
        #expect(await infos.arrival(of: 2) == ["RTF", "PDF"])
        withExtendedLifetime(tokens) {}
    }

    // MARK: - Refused posts

    @Test(.rule(39)) func `An object that is no string is reported, and nothing is delivered`()
        async throws
    {
        let problems = Log<String>()
        let (a, b) = try await pair(problems)
        let heard = Log<String>()
        let tokens = [a, b].map { center in
            center.observe(name, on: .poster) { heard.add($0.object as? String ?? "-") }
        }
        #expect(await b.waitUntilReady(within: .seconds(60)).isEmpty)
        a.post(name: name, object: NSObject(), userInfo: nil)
        a.post(name: name, object: 7 as Any?, userInfo: nil)
        a.post(Notification(name: name, object: NSObject()))
        a.post(name: name, object: "a string", userInfo: nil)
        #expect(await heard.arrival(of: 2) == ["a string", "a string"])
        #expect(problems.entries.count == 3)
        for problem in problems.entries {
            #expect(problem.hasPrefix("notDistributable"))
            #expect(problem.contains("\"A\"") && problem.contains("it is a string"))
        }
        withExtendedLifetime(tokens) {}
    }

    @Test(.rule(39)) func `userInfo that is no property list is reported with the key`()
        async throws
    {
        let problems = Log<String>()
        let (a, b) = try await pair(problems)
        let heard = Log<Int>()
        let tokens = [a, b].map { center in
            center.observe(name, on: .poster) { heard.add($0.userInfo?["n"] as? Int ?? -1) }
        }
        #expect(await b.waitUntilReady(within: .seconds(60)).isEmpty)
        a.post(name: name, object: nil, userInfo: ["window": ["owner": NSObject()]])
        a.post(name: name, object: nil, userInfo: [1: "a key that is no string"])
        a.post(name: name, object: nil, userInfo: ["n": 1])
        #expect(await heard.arrival(of: 2) == [1, 1])
        #expect(problems.entries.count == 2)
        #expect(problems.entries.allSatisfy { $0.hasPrefix("notDistributable") })
        #expect(problems.entries.first?.contains("userInfo[\"window\"][\"owner\"]") == true)
        withExtendedLifetime(tokens) {}
    }

    @Test(.rule(39))
    func `A notification that is too long is a clear error, and nothing is delivered`()
        async throws
    {
        let problems = Log<String>()
        let (a, b) = try await pair(problems)
        let heard = Log<Int>()
        let tokens = [a, b].map { center in
            center.observe(undecoded: nil, on: .poster) { heard.add($0.payload.bytes.count) }
        }
        #expect(await b.waitUntilReady(within: .seconds(60)).isEmpty)
        let most = 16 * 1024 * 1024
        let error = #expect(throws: DistributedPostError.self) {
            try DistributedPayload(bytes: [UInt8](repeating: 0, count: most + 1))
        }
        #expect(error?.code == .tooLong)
        #expect(error?.description.contains("\(most)") == true)
        let long = String(repeating: "n", count: 65_536)
        for (name, object) in [(long, "x"), ("A", long)] {
            let error = #expect(throws: DistributedPostError.self) {
                try a.post(name: Notification.Name(name), object: object, payload: .none)
            }
            #expect(error?.code == .tooLong)
            #expect(error?.description.contains("65536") == true)
        }
        a.post(name: Notification.Name(long), object: nil, userInfo: nil)
        a.post(name: name, object: long, userInfo: nil)
        a.post(name: name, object: nil, userInfo: ["d": Data(count: most)])
        #expect(problems.entries.count == 3)
        #expect(problems.entries.allSatisfy { $0.description.utf8.count < 500 })
        #expect(throws: DistributedPostError.self) {
            try a.post(Added(format: String(repeating: "x", count: most)))
        }
        // This name is the longest that is allowed.
        let just = String(long.dropLast())
        let payload = try DistributedPayload(bytes: [UInt8](repeating: 0, count: most))
        try a.post(name: Notification.Name(just), object: just, payload: payload)
        #expect(await heard.arrival(of: 2) == [most, most])
        withExtendedLifetime(tokens) {}
    }

    @Test(.rule(39)) func `Posting a message that can't be encoded throws an error that says why`()
        async throws
    {
        let (a, _) = try await pair()
        let error = #expect(throws: DistributedPostError.self) { try a.post(Unspeakable()) }
        #expect(error?.code == .notEncodable)
        #expect(error?.cause is EncodingError)
    }

    @Test(.rule(1)) func `No lock is held while the problem hook runs`() async throws {
        let (a, b) = try await pair()
        let hooked = Log<String>()
        // The hook captures the center weakly, because the center keeps its hook.
        a.onProblem { [weak a] problem in
            a?.post(name: Notification.Name("hooked"), object: nil, userInfo: nil)
            hooked.add("\(problem.kind) \(a?.peers.count ?? 0)")
        }
        let heard = Log<Int>()
        let token = b.observe(Notification.Name("hooked"), on: .poster) { _ in heard.add(1) }
        #expect(await b.waitUntilReady(within: .seconds(60)).isEmpty)
        // An observer of an object that is no string can't hear anything. The center finds that out
        // with its next turn.
        let unheard = a.observe(name, of: NSObject(), on: .poster) { _ in }
        #expect(await a.waitUntilReady(within: .seconds(60)).isEmpty)
        #expect(await heard.arrival(of: 1) == [1])
        #expect(hooked.entries == ["notDistributable 1"])
        withExtendedLifetime((token, unheard)) {}
    }

    // MARK: - Lifetime

    @Test(.rule(35))
    func `A center that goes is forgotten by the others, and leaves nothing behind`()
        async throws
    {
        let (a, b) = try await pair()
        weak var gone: DistributedNotificationCenter?
        weak var mesh: AnyObject?
        do {
            let c = try network.center(named: "c")
            (gone, mesh) = (c, c.transport)
            #expect(await c.waitUntilReady(within: .seconds(60)).isEmpty)
            #expect(a.peers.count == 2)
        }
        #expect(gone == nil)
        await until { a.peers.count == 1 && b.peers.count == 1 }
        // The center's threads end a moment later.
        await until { mesh == nil }
    }

    @Test func `A center may go while its handler runs on the thread that receives`() async throws {
        let (a, b) = try await pair()
        let kept = Kept()
        let heard = Log<Int>()
        do {
            let c = try network.center(named: "c")
            kept.token = c.observe(name, on: .poster) { _ in
                heard.add(1)
                kept.center = nil
            }
            #expect(await c.waitUntilReady(within: .seconds(60)).isEmpty)
            kept.center = c
        }
        a.post(name: name, object: nil, userInfo: nil)
        #expect(await heard.arrival(of: 1) == [1])
        await until { a.peers.count == 1 && b.peers.count == 1 }
        kept.token = nil
    }

    /// The center that a handler lets go.
    private final class Kept: @unchecked Sendable {
        // Sendable: the test writes before the handler runs, and after.
        var center: DistributedNotificationCenter?
        var token: ObservationToken?
    }

    @Test func `A center whose transport does not start is one for its process alone`() throws {
        #expect(throws: DistributedCenterError.self) {
            try DistributedNotificationCenter(domain: "")
        }
        let long = String(repeating: "d", count: 300)
        let error = #expect(throws: DistributedCenterError.self) {
            try DistributedNotificationCenter(domain: long)
        }
        #expect(error?.description.contains("too long") == true)
        #expect(error?.code == .invalidDomain)
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Testing

@testable import SwitchyardCommands

/// The updates of a picture that a page gets.
@Suite("Updates of the live page") struct LiveUpdatesTests {
    private func picture(_ parts: [(String, String)]) -> LivePicture {
        LivePicture(parts: parts.map { LivePicture.Part(key: $0.0, json: $0.1) })
    }

    private struct Sent: Decodable, Equatable {
        var isFirst: Bool
        var set: [String: String]
        var gone: [String]
    }

    private func read(_ text: String?) throws -> Sent {
        try JSONDecoder().decode(Sent.self, from: Data(try #require(text).utf8))
    }

    @Test
    func `A page gets all parts at first, then the new parts, and no update if there are none`()
        throws
    {
        var updates = LiveUpdates(LiveBoard())
        #expect(updates.next(picture([]), limit: 1000) == nil)
        let first = picture([("a", #""1""#), ("b", #""2""#)])
        #expect(
            try read(updates.next(first, limit: 1000))
                == Sent(isFirst: true, set: ["a": "1", "b": "2"], gone: []))
        #expect(updates.next(first, limit: 1000) == nil)
        let second = picture([("b", #""3""#), ("c", #""4""#)])
        #expect(
            try read(updates.next(second, limit: 1000))
                == Sent(isFirst: false, set: ["b": "3", "c": "4"], gone: ["a"]))
        #expect(updates.next(second, limit: 1000) == nil)
    }

    @Test func `No update is longer than its limit, and all of a picture comes in the end`() throws
    {
        var updates = LiveUpdates(LiveBoard())
        let all = (0..<100).map { ("key\($0)", "\"\(String(repeating: "x", count: 50))\"") }
        var known: [String: String] = [:]
        var count = 0
        while let text = updates.next(picture(all), limit: 1000) {
            #expect(text.utf8.count <= 1000)
            known.merge(try read(text).set) { $1 }
            count += 1
        }
        #expect(known.count == 100)
        #expect(count < 20)
    }

    @Test
    func `A part that is longer than the limit comes alone, also when others change all the time`()
        throws
    {
        var updates = LiveUpdates(LiveBoard())
        let long = "\"\(String(repeating: "x", count: 3000))\""
        var sent: [Set<String>] = []
        for round in 0..<10 {
            let busy = (0..<20).map {
                ("busy\($0)", "\"\(round) \(String(repeating: "x", count: 60))\"")
            }
            let text = updates.next(
                picture(busy + [("long", long), ("longer", long)]), limit: 1000)
            sent.append(Set(try read(text).set.keys))
        }
        #expect(sent.count { $0 == ["long"] } == 1)
        #expect(sent.count { $0 == ["longer"] } == 1)
        #expect(!sent.contains { $0.count > 1 && ($0.contains("long") || $0.contains("longer")) })
    }

    @Test func `A process that owes an answer for three seconds is said to be silent`() {
        let board = LiveBoard()
        let now = ContinuousClock.now
        func isSilent(after duration: Duration) -> String? {
            board.picture(at: now + duration).parts.first { $0.key == "silent" }?.json
        }
        #expect(isSilent(after: .zero) == nil)
        board.show(picture([("a", "1")]))
        #expect(isSilent(after: .seconds(60)) == "false")
        board.asking(at: now) {
            #expect(isSilent(after: .milliseconds(2900)) == "false")
            #expect(isSilent(after: .seconds(3)) == "true")
        }
        #expect(isSilent(after: .seconds(60)) == "false")
    }

    @Test func `A command that has no room is not taken`() {
        let session = LiveSession(number: 1, name: "app")
        let command = Array(#"{"pause":true}"#.utf8)
        for _ in 0..<100 { #expect(session.take(command)) }
        #expect(!session.take(command))
    }

    @Test func `Parts that change all the time do not keep others from coming`() throws {
        var updates = LiveUpdates(LiveBoard())
        var known: Set<String> = []
        for round in 0..<30 {
            // The first parts leave no room for others.
            let busy = (0..<12).map {
                ("busy\($0)", "\"\(round) \(String(repeating: "x", count: 60))\"")
            }
            let text = updates.next(picture(busy + [("quiet", #""1""#)]), limit: 1000)
            known.formUnion(try read(text).set.keys)
        }
        #expect(known.contains("quiet"))
        #expect(known.count == 13)
    }
}

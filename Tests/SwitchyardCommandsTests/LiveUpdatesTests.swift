// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Testing

@testable import SwitchyardCommands

/// What a page is sent of a picture.
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

    @Test func `A page gets everything at first, then what is new, and nothing if nothing is`()
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

    @Test func `Parts that change all the time do not keep others from coming`() throws {
        var updates = LiveUpdates(LiveBoard())
        var known: Set<String> = []
        for round in 0..<30 {
            // The first ones have room for themselves alone.
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

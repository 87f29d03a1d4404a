// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import TestSupport
import Testing

@testable import SwitchyardDistributed
@testable import SwitchyardWire

/// The table of unexpected frames in `docs/wire-protocol.md`, held against the code.
@Suite("Odd frames of the wire protocol's document", .serialized, .timeLimit(.minutes(5)))
struct OddFrameTests {
    private static let head = "| what comes | to | outcome |"

    /// The unexpected bytes, by the words of the document. They go to the hearer unless `toPoster`.
    private struct Odd {
        var toPoster: [UInt8]?
        var toHearer: [UInt8]?
    }

    private static let text = Array("text".utf8)
    private static let long = [UInt8](repeating: 0x78, count: 65_536)

    private static func subscription(_ flags: UInt8, _ name: [UInt8], _ object: [UInt8]) -> [UInt8]
    {
        let counts = [UInt8(name.count & 255), UInt8(name.count >> 8)]
        let objectCounts = (0..<4).map { UInt8(truncatingIfNeeded: object.count >> ($0 * 8)) }
        return Raw.frame(3, [flags, 0] + counts + objectCounts + name + object)
    }

    private static var interest: [UInt8] { subscription(2, Array("A".utf8), []) }

    private static let odd: [String: Odd] = [
        "a second HELLO": Odd(
            toPoster: Raw.greeting("scripted"), toHearer: Raw.greeting("scripted")),
        "a second SYNC with a smaller number than before": Odd(
            toPoster: Raw.frame(.sync, number: 3)),
        "SYNCED with a number that was not asked for": Odd(
            toHearer: Raw.frame(.synced, number: 1_000)),
        "SYNCED with a smaller number than before": Odd(
            toHearer: Raw.frame(.synced, number: 0) + Raw.frame(.synced, number: 0)),
        "HEARD from a poster": Odd(toHearer: Raw.frame(.heard, number: 5)),
        "HEARD after SYNC": Odd(toPoster: Raw.frame(.heard, number: 5)),
        "PROMISE from a hearer": Odd(toPoster: Raw.bytes { Farewell.writePromise(to: &$0) }),
        "FAREWELL without PROMISE": Odd(toHearer: Raw.frame(.farewell, number: 5)),
        "PROMISE that is not right behind HELLO": Odd(
            toHearer: Raw.notification(1) + Raw.bytes { Farewell.writePromise(to: &$0) }),
        "FAREWELL from a hearer": Odd(toPoster: Raw.frame(.farewell, number: 5)),
        "FAREWELL with a smaller number than before": Odd(
            toHearer: Raw.bytes { Farewell.writePromise(to: &$0) }
                + Raw.frame(.farewell, number: 5) + Raw.frame(.farewell, number: 2)),
        "a notification behind FAREWELL": Odd(
            toHearer: Raw.bytes { Farewell.writePromise(to: &$0) }
                + Raw.frame(.farewell, number: 1) + Raw.notification(1)),
        "AWAY from a poster": Odd(toHearer: Raw.frame(.away, number: 250)),
        "AWAY after SYNC": Odd(toPoster: Raw.frame(.away, number: 250)),
        "PONG to a PING that was not written": Odd(toPoster: Raw.frame(.pong, number: 5)),
        "SUBSCRIBE to what is subscribed to": Odd(toPoster: interest + interest),
        "UNSUBSCRIBE from what is not subscribed to": Odd(
            toPoster: Raw.bytes {
                DistributedInterest(name: "never", object: nil).write(to: &$0, isObserved: false)
            }),
        "an object's length without its flag": Odd(
            toHearer: {
                var frame = Raw.notification(1, object: text)
                // The body, which stands behind length and type.
                frame[5] = 0
                return frame
            }()),
        "a name's length beside the flag for any name": Odd(toPoster: subscription(3, text, [])),
        "an empty name": Odd(toHearer: Raw.notification(1, name: [])),
        "an object of more than 65,535 bytes": Odd(toHearer: Raw.notification(1, object: long)),
        "an object of more than 65,535 bytes in SUBSCRIBE": Odd(
            toPoster: subscription(0, text, long)),
    ]

    /// Rows about bytes that are no frame, or that come before SYNC.
    private static let others: Set<String> = [
        "a name of more than 65,535 bytes", "a second connection with the id of one that there is",
        "AWAY twice",
    ]

    @Test func `No row of the table is left out, and each is understood`() throws {
        let rows = try WireDocument().table(Self.head)
        #expect(Set(rows.map { $0[0] }) == Set(Self.odd.keys).union(Self.others))
        for row in rows where !Self.others.contains(row[0]) {
            let odd = try #require(Self.odd[row[0]])
            let ends =
                (odd.toPoster == nil ? [] : ["poster"]) + (odd.toHearer == nil ? [] : ["hearer"])
            #expect(ends == (row[1] == "both" ? ["poster", "hearer"] : [row[1]]), "\(row[0])")
        }
    }

    @Test(.rule(39), arguments: odd.keys.sorted())
    func `An unexpected frame has the outcome that the document says`(
        what: String
    ) throws {
        let row = try #require(try WireDocument().table(Self.head).first { $0[0] == what })
        let odd = try #require(Self.odd[what])
        if let bytes = odd.toPoster { try check(bytes, toPosterIs: row[2]) }
        if let bytes = odd.toHearer { try check(bytes, toHearerIs: row[2]) }
    }

    /// Checks a center that posts to a peer, which sends these bytes after SYNC 5.
    private func check(_ bytes: [UInt8], toPosterIs outcome: String) throws {
        let network = ScriptedNetwork(peers: ["peer"])
        let center = try network.center()
        let problems = Log<String>()
        center.onProblem { problems.add("\($0)") }
        let peer = try #require(network.peer("peer"))
        peer.greet()
        peer.say { $0.frame(.sync, 5) }
        #expect(peer.hear(until: .synced)?.type == .synced)
        peer.say { frames in bytes.withUnsafeBytes { frames.append(bytes: $0) } }
        peer.say { $0.frame(.sync, 6) }
        let answer = try #require(peer.hear())
        if outcome.hasPrefix("error") {
            #expect(answer.type == .bye)
        } else if outcome.hasPrefix("answer") {
            #expect(answer.type == .synced && answer.body[0] == bytes[5])
        } else {
            #expect(answer.type == .synced && answer.body[0] == 6)
        }
        #expect(!problems.entries.contains { $0.contains("could not be found") })
        if outcome.hasPrefix("take") {
            #expect(center.peers.first?.interests == [DistributedInterest(name: nil, object: nil)])
        }
    }

    /// Checks a center that hears a peer, which sends these bytes after HELLO.
    private func check(_ bytes: [UInt8], toHearerIs outcome: String) throws {
        let network = ScriptedNetwork()
        let center = try network.center()
        let heard = Log<ReceivedNotification>()
        let token = center.observe(undecoded: nil, on: .poster) { heard.add($0) }
        let peer = network.call()
        peer.greet()
        #expect(peer.hear(until: .sync)?.type == .sync)
        peer.say { frames in bytes.withUnsafeBytes { frames.append(bytes: $0) } }
        peer.say { $0.frame(.ping, 6) }
        let answer = try #require(peer.hear { [.pong, .bye].contains($0) })
        #expect(answer.type == (outcome.hasPrefix("error") ? .bye : .pong))
        #expect(heard.entries.count == (outcome.hasPrefix("take") ? 1 : 0))
        if outcome.contains("without an object") { #expect(heard.entries.first?.object == nil) }
        token.cancel()
    }

    @Test func `AWAY is handled once, and bytes behind its number are passed over`() throws {
        let row = try WireDocument().table(Self.head).first { $0[0] == "AWAY twice" }
        #expect(row.map { Array($0[1...]) } == ["poster", "pass over the second"])
        let network = ScriptedNetwork(peers: ["peer"])
        let center = try network.center()
        let problems = Log<String>()
        center.onProblem { problems.add("\($0)") }
        let peer = try #require(network.peer("peer"))
        peer.greet()
        // An AWAY that is too short says nothing.
        let bytes =
            Raw.frame(131, [1, 2, 3]) + Raw.frame(131, [250, 0, 0, 0, 0, 0, 0, 0, 9, 9])
            + Raw.frame(.away, number: 400)
        peer.say { frames in
            bytes.withUnsafeBytes { frames.append(bytes: $0) }
            frames.frame(.sync, 0)
        }
        #expect(peer.hear(until: .synced)?.type == .synced)
        let told = problems.entries.filter { $0.contains("could not be found") }
        #expect(told.count == 1 && told[0].contains("for 250 ms"))
    }

    @Test func `A second connection with the id of another is heard beside it`() throws {
        let row = try WireDocument().table(Self.head).last
        #expect(row?.first == "a second connection with the id of one that there is")
        let network = ScriptedNetwork()
        let center = try network.center()
        let heard = Log<ReceivedNotification>()
        let token = center.observe(undecoded: nil, on: .poster) { heard.add($0) }
        let id = PeerID.random()
        let peers = [network.call(), network.call()]
        for peer in peers {
            peer.greet(id: id)
            #expect(peer.hear(until: .sync)?.type == .sync)
        }
        for peer in peers.reversed() {
            let bytes = Raw.notification(1)
            peer.say { frames in bytes.withUnsafeBytes { frames.append(bytes: $0) } }
            peer.say { $0.frame(.ping, 1) }
            #expect(peer.hear { $0 == .pong || $0 == .bye }?.type == .pong)
        }
        #expect(heard.entries.map(\.sequence) == [1, 1])
        token.cancel()
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Switchyard
import SwitchyardDistributedTesting
import TestSupport
import Testing

@testable import SwitchyardDistributed

/// Posts of bytes that are in no payload and no array.
@Suite("Posts of borrowed bytes", .timeLimit(.minutes(5)))
struct BytesPostTests {
    private let name = Notification.Name("Bytes")

    @Test(.rule(38), .rule(39))
    func `Borrowed bytes are heard everywhere as those of a payload`() async throws {
        let network = InMemoryNetwork()
        let (a, b) = (try network.center(named: "a"), try network.center(named: "b"))
        let heard = Log<[UInt8]>()
        let decoded = Log<Data?>()
        let tokens = [a, b].flatMap { center in
            [
                center.observe(name, of: "x", on: .poster) {
                    decoded.add($0.userInfo?[DistributedNotificationCenter.dataKey] as? Data)
                },
                center.observe(undecoded: name, on: .poster) { heard.add($0.payload.bytes) },
            ]
        }
        #expect(await b.waitUntilReady(within: .seconds(60)).isEmpty)
        let receipt = try a.post(name: name, object: "x", bytes: ([1, 2, 3] as [UInt8]).span.bytes)
        #expect(receipt.delivered == 2)
        #expect(receipt.queued == 1)
        #expect(await heard.arrival(of: 2) == [[1, 2, 3], [1, 2, 3]])
        #expect(decoded.entries == [Data([1, 2, 3]), Data([1, 2, 3])])
        for token in tokens { token.cancel() }
    }

    @Test(.rule(39)) func `Borrowed bytes may change as soon as the post has returned`()
        async throws
    {
        let network = InMemoryNetwork()
        let (a, b) = (try network.center(named: "a"), try network.center(named: "b"))
        let (here, there) = (Log<[UInt8]>(), Log<[UInt8]>())
        let queue = DispatchQueue(label: "hearer")
        let tokens = [
            a.observe(undecoded: name, on: .dispatchQueue(queue)) { here.add($0.payload.bytes) },
            b.observe(undecoded: name, on: .poster) { there.add($0.payload.bytes) },
        ]
        #expect(await b.waitUntilReady(within: .seconds(60)).isEmpty)
        var bytes: [UInt8] = [0, 0]
        let numbers = (1...200).map { UInt8($0) }
        for number in numbers {
            bytes[1] = number
            try a.post(name: name, bytes: bytes.span.bytes)
        }
        bytes[1] = 0
        let expected = numbers.map { [0, $0] }
        #expect(await here.arrival(of: 200) == expected)
        #expect(await there.arrival(of: 200) == expected)
        for token in tokens { token.cancel() }
    }

    @Test(.rule(39)) func `Too many borrowed bytes are a clear error, and nothing is delivered`()
        throws
    {
        let center = try InMemoryNetwork().center(named: "alone")
        let heard = Log<Int>()
        let token = center.observe(undecoded: name, on: .poster) {
            heard.add($0.payload.bytes.count)
        }
        let most = 16 * 1024 * 1024
        let bytes = [UInt8](repeating: 0, count: most + 1)
        let error = #expect(throws: DistributedPostError.self) {
            try center.post(name: name, bytes: bytes.span.bytes)
        }
        #expect(error?.code == .tooLong)
        #expect(error?.description.contains("\(most)") == true)
        let long = Notification.Name(String(repeating: "n", count: 65_536))
        #expect(throws: DistributedPostError.self) {
            try center.post(name: long, bytes: RawSpan())
        }
        try center.post(name: name, bytes: bytes.span.bytes.extracting(first: most))
        try center.post(name: name, bytes: RawSpan())
        #expect(heard.entries == [most, 0])
        token.cancel()
    }

    @Test(.rule(38)) func `A suspended center holds borrowed bytes`() throws {
        let center = try InMemoryNetwork().center(named: "alone")
        let heard = Log<[UInt8]>()
        let token = center.observe(
            undecoded: name, on: .poster, options: .whenSuspended(.hold)
        ) { heard.add($0.payload.bytes) }
        center.suspended = true
        for number in [1, 2] as [UInt8] { try center.post(name: name, bytes: [number].span.bytes) }
        #expect(heard.entries == [])
        center.suspended = false
        #expect(heard.entries == [[1], [2]])
        token.cancel()
    }

    @Test(.rule(39)) func `Borrowed bytes go through a transport of one's own as a payload`() throws
    {
        let transport = HandCarriedTransport("own")
        let center = try DistributedNotificationCenter(transport: transport)
        _ = transport.takeSent()
        try center.post(name: name, object: "x", bytes: ([7, 8] as [UInt8]).span.bytes)
        let sent = transport.takeSent().filter { $0.name == name.rawValue }
        #expect(sent.map(\.payload.bytes) == [[7, 8]])
        #expect(sent.map(\.payload.format) == [.bytes])
        #expect(sent.map(\.object) == ["x"])
    }
}

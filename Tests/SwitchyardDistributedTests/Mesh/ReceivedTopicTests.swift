// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwitchyardWire
import Testing

@testable import SwitchyardDistributed

@Suite("Topics of received notifications") struct ReceivedTopicTests {
    /// Returns the name and object under which a notification is matched.
    private func find(
        _ name: String, _ object: String? = nil, in topics: ReceivedTopics
    ) throws -> [String?] {
        var frame = ByteWriter()
        let text = Array((name + (object ?? "")).utf8)
        text.withUnsafeBytes {
            frame.appendNotification(
                flags: object == nil ? 0 : NotificationFrame.hasObject, .none, topic: $0,
                nameLength: name.utf8.count, payload: UnsafeRawBufferPointer(start: nil, count: 0))
        }
        return try frame.withBytes { bytes in
            let frame = UnsafeRawBufferPointer(rebasing: bytes[WireFormat.lengthBytes...])
            return try topics.find(NotificationFrame(frame))._withUnsafeGuaranteedRef {
                [$0.name, $0.object]
            }
        }
    }

    @Test func `Names that differ in one byte are told apart, wherever that byte is`() throws {
        let topics = ReceivedTopics()
        for length in 1...40 {
            let name = String(repeating: "a", count: length)
            for index in 0..<length {
                var bytes = Array(name.utf8)
                bytes[index] = UInt8(ascii: "b")
                let other = String(decoding: bytes, as: UTF8.self)
                #expect(try find(name, in: topics) == [name, nil])
                #expect(try find(other, in: topics) == [other, nil])
            }
        }
    }

    @Test func `The same text is told apart by where its name ends, and by its object`() throws {
        let topics = ReceivedTopics()
        for _ in 0..<2 {
            #expect(try find("abc", in: topics) == ["abc", nil])
            #expect(try find("abc", "", in: topics) == ["abc", ""])
            #expect(try find("ab", "c", in: topics) == ["ab", "c"])
            #expect(try find("", "abc", in: topics) == ["", "abc"])
            #expect(try find("", in: topics) == ["", nil])
        }
    }
}

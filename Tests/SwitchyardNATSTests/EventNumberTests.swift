// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
@testable import SwitchyardNATS
import Testing

/// The numbers that a reply subject carries.
@Suite("Numbers of events") struct EventNumberTests {
    private static let numbers: [UInt64] =
        [0, 1, 9, 10, 15, 16, 0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210, .max]

    private func read(_ text: [UInt8]) -> EventNumber? {
        (text + [0]).withUnsafeBytes { bytes in
            bytes.assumingMemoryBound(to: CChar.self).baseAddress.flatMap { EventNumber($0) }
        }
    }

    @Test(arguments: numbers) func `A number is written in its digits, and read back`(value: UInt64)
    {
        let text = HexDigits.text16(value)
        #expect(UInt64(text, radix: 16) == value)
        #expect(text.utf8.count == 16 && text.lowercased() == text)
        #expect(Array(text.utf8).withUnsafeBytes { HexDigits.read16($0.baseAddress!) } == value)
    }

    @Test func `Only digits are digits`() {
        for byte in UInt8.min...UInt8.max {
            for place in 0..<8 {
                var text = Array("01234567".utf8)
                text[place] = byte
                let isDigit =
                    (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
                let value = text.withUnsafeBytes { HexDigits.read8($0.baseAddress!) }
                #expect((value != nil) == isDigit)
            }
        }
    }

    @Test(arguments: EventKind.allCases)
    func `The number says whether an event is kept for observers that come late`(kind: EventKind) {
        for isImmediate in [false, true] {
            let event = EventNumber(
                process: 1, number: 2, topic: 3, topicSequence: 4, kind: kind,
                isImmediate: isImmediate, isKept: true)
            #expect(read(event.subject) == event)
        }
    }

    @Test(arguments: EventKind.allCases, [false, true])
    func `A reply subject carries all parts of an event's number, and is read back`(
        kind: EventKind, isImmediate: Bool
    ) {
        for (index, value) in Self.numbers.enumerated() {
            var event = EventNumber(
                process: value, number: Self.numbers.reversed()[index] >> 1,
                topic: UInt32(truncatingIfNeeded: value), topicSequence: value >> 1, kind: kind,
                isImmediate: isImmediate)
            #expect(event.subject.count == EventNumber.length)
            #expect(read(event.subject) == event)
            // The number is larger than any process's posts, and is refused: a count of it might
            // overflow.
            event.topicSequence |= 1 << 63
            #expect(read(event.subject) == nil)
        }
    }

    @Test
    func
        `A subject that is no reply subject is not read as one, and nothing is read beyond its end`()
    {
        let whole = EventNumber(
            process: 1, number: 2, topic: 3, topicSequence: 4, kind: .json
        ).subject
        for count in 0..<whole.count { #expect(read(Array(whole[..<count])) == nil) }
        #expect(read(whole + [0x30]) == nil)
        #expect(read(Array("_INBOX.abcdefghijklmnop.1".utf8)) == nil)
        for index in whole.indices where whole[index] != UInt8(ascii: ".") {
            var other = whole
            other[index] = UInt8(ascii: "*")
            #expect(read(other) == nil)
        }
    }

    @Test func `Entries that were looked up lately are kept, and the rest are dropped`() {
        var recent = RecentDictionary<Int, Int>(capacity: 4)
        for number in 0..<100 {
            recent.set(number, -number)
            #expect(recent.find(0) == 0)
            for earlier in max(0, number - 2)...number {
                #expect(recent.peek(earlier) == -earlier)
            }
            #expect(recent.values.count <= 8)
        }
        #expect(recent.find(50) == nil)
        recent.removeAll()
        #expect(recent.values.isEmpty)
    }
}
#endif

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
/// Which of a process's notifications a message is: what its reply subject says.
///
/// `_SWY.PROCESS.NUMBER.TOPIC.PLACE.KIND`, all but the last in hexadecimal digits, and always as many.
/// The event's id says the first two as well; but to read headers, libnats makes a table of them all,
/// which takes longer than everything else that is done with a message. Nobody answers there.
struct EventNumber: Equatable {
    /// Sixteen digits that no other process has.
    var process: UInt64
    /// The notification's number among all that the process posted.
    var number: UInt64
    /// Which of the names and objects under which the process has posted.
    var topic: UInt32
    /// The notification's number among those of the topic: where one is left out, some were lost.
    var place: UInt64
    var kind: EventKind
    /// Whether suspended processes get it as well: then the kind is a capital letter.
    var isImmediate = false

    static let prefix = Array("_SWY.".utf8)
    /// How many bytes it takes.
    static let length = 5 + 16 + 1 + 12 + 1 + 6 + 1 + 12 + 1 + 1

    private static let numberStart = 5 + 16 + 1
    private static let topicStart = numberStart + 12 + 1
    private static let placeStart = topicStart + 6 + 1
    private static let kindStart = placeStart + 12 + 1

    private static let capital: UInt8 = 0x20

    init(
        process: UInt64, number: UInt64, topic: UInt32, place: UInt64, kind: EventKind,
        isImmediate: Bool = false
    ) {
        self.process = process
        self.number = number
        self.topic = topic
        self.place = place
        self.kind = kind
        self.isImmediate = isImmediate
    }

    /// The number that a reply subject says; nil: somebody else sent it.
    init?(_ reply: UnsafePointer<CChar>) {
        let bytes = UnsafeRawPointer(reply)
        for index in 0..<Self.prefix.count
        where bytes.load(fromByteOffset: index, as: UInt8.self) != Self.prefix[index] { return nil }
        guard let process = Self.hex(bytes, 5, 16),
            let number = Self.hex(bytes, Self.numberStart, 12),
            let topic = Self.hex(bytes, Self.topicStart, 6),
            let place = Self.hex(bytes, Self.placeStart, 12),
            let letter = bytes.load(fromByteOffset: Self.kindStart, as: UInt8.self) as UInt8?,
            let kind = EventKind(rawValue: letter | Self.capital),
            bytes.load(fromByteOffset: Self.length, as: UInt8.self) == 0
        else { return nil }
        self.init(
            process: process, number: number, topic: UInt32(truncatingIfNeeded: topic),
            place: place, kind: kind, isImmediate: letter & Self.capital == 0)
    }

    /// The whole subject.
    var subject: [UInt8] {
        var bytes = Self.prefix
        func append(_ value: UInt64, _ digits: Int) {
            let start = bytes.count
            bytes += Array(repeating: 0, count: digits) + [UInt8(ascii: ".")]
            bytes.withUnsafeMutableBytes { bytes in
                guard let base = bytes.baseAddress else { return }
                Self.write(value, digits, to: base + start)
            }
        }
        append(process, 16)
        append(number, 12)
        append(UInt64(topic), 6)
        append(place, 12)
        return bytes + [isImmediate ? kind.rawValue & ~Self.capital : kind.rawValue]
    }

    /// Writes what differs from notification to notification of one topic over a subject.
    static func patch(
        _ subject: UnsafeMutableRawPointer, number: UInt64, place: UInt64
    ) {
        write(number, 12, to: subject + numberStart)
        write(place, 12, to: subject + placeStart)
    }

    static func write(_ value: UInt64, _ count: Int, to place: UnsafeMutableRawPointer) {
        var rest = value
        for index in (0..<count).reversed() {
            let digit = UInt8(truncatingIfNeeded: rest & 15)
            let byte = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
            place.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
            rest >>= 4
        }
    }

    /// Stops at the first byte that is no digit, and so at the end of the text.
    private static func hex(_ bytes: UnsafeRawPointer, _ start: Int, _ count: Int) -> UInt64? {
        var value: UInt64 = 0
        for index in start..<start + count {
            let byte = bytes.load(fromByteOffset: index, as: UInt8.self)
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                value = value << 4 | UInt64(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"):
                value = value << 4 | UInt64(byte - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return value
    }

    static func hex(_ value: UInt64, digits: Int = 16) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
#endif

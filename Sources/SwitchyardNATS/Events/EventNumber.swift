// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import Foundation

/// Which of a process's notifications a message is: what its reply subject says.
///
/// `_SWY.PROCESS.NUMBER.TOPIC.PLACE.KIND`, all but the last in hexadecimal digits, and always as many.
/// The event's id says the first two as well; but to read headers, libnats makes a table of them all,
/// which takes longer than everything else that is done with a message. Nobody answers there.
struct EventNumber: Equatable {
    /// Sixteen digits that no other process has.
    var process: UInt64
    /// The notification's number among all that the process posted: sixteen digits.
    var number: UInt64
    /// Which of the names and objects under which the process has posted: eight digits.
    var topic: UInt32
    /// The notification's number among those of the topic, sixteen digits: where one is left out, some
    /// were lost.
    var place: UInt64
    var kind: EventKind
    /// Whether suspended processes get it as well: then the kind is a capital letter.
    var isImmediate = false

    private static let prefix = Array("_SWY.".utf8)
    private static let processStart = 5
    private static let numberStart = processStart + 16 + 1
    private static let topicStart = numberStart + 16 + 1
    private static let placeStart = topicStart + 8 + 1
    private static let kindStart = placeStart + 16 + 1
    /// How many bytes it takes.
    static let length = kindStart + 1

    private static let capital: UInt8 = 0x20
    private static let largest = UInt64(Int64.max)

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
        // What is shorter is not read beyond its end.
        guard strncmp(reply, "_SWY.", 5) == 0, strnlen(reply, Self.length + 1) == Self.length,
            let process = HexDigits.read16(bytes + Self.processStart),
            let number = HexDigits.read16(bytes + Self.numberStart),
            let topic = HexDigits.read8(bytes + Self.topicStart),
            let place = HexDigits.read16(bytes + Self.placeStart),
            // Nobody posts so many; what is counted with it must not overflow.
            number <= Self.largest, place <= Self.largest
        else { return nil }
        let letter = bytes.load(fromByteOffset: Self.kindStart, as: UInt8.self)
        guard let kind = EventKind(rawValue: letter | Self.capital) else { return nil }
        self.init(
            process: process, number: number, topic: UInt32(truncatingIfNeeded: topic),
            place: place, kind: kind, isImmediate: letter & Self.capital == 0)
    }

    /// The whole subject.
    var subject: [UInt8] {
        let letter = isImmediate ? kind.rawValue & ~Self.capital : kind.rawValue
        var bytes = Self.prefix
        bytes += Array(repeating: UInt8(ascii: "."), count: Self.kindStart - bytes.count)
        bytes.append(letter)
        bytes.withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            HexDigits.write16(process, to: start + Self.processStart)
            HexDigits.write8(topic, to: start + Self.topicStart)
            Self.patch(start, number: number, place: place)
        }
        return bytes
    }

    /// Writes what differs from notification to notification of one topic over a subject.
    @inline(__always)
    static func patch(_ subject: UnsafeMutableRawPointer, number: UInt64, place: UInt64) {
        HexDigits.write16(number, to: subject + numberStart)
        HexDigits.write16(place, to: subject + placeStart)
    }
}
#endif

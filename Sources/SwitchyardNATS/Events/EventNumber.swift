// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import Foundation

/// The numbers of a notification, as its message's reply subject carries them.
///
/// The reply subject is `_SWY.PROCESS.NUMBER.TOPIC.SEQUENCE.KIND`; all parts but the last have a
/// fixed number of hexadecimal digits. The event's id contains the first two numbers as well. But
/// to read a header, libnats makes a table of all headers, which takes longer than everything else
/// that is done with a message. No process replies to that subject.
struct EventNumber: Equatable {
    /// The id of the process, sixteen digits; unique.
    var process: UInt64
    /// The notification's number among all that the process has posted, sixteen digits.
    var number: UInt64
    /// The number of the topic, a pair of name and object under which the process posts; eight
    /// digits.
    var topic: UInt32
    /// The notification's number within its topic, sixteen digits. A gap means that notifications
    /// were lost.
    var topicSequence: UInt64
    var kind: EventKind
    /// Whether suspended processes receive the notification as well. If so, the kind is a capital
    /// letter.
    var isImmediate = false
    /// Whether the notification is kept for observers that come late. If so, the kind is the letter
    /// behind its own.
    var isKept = false

    private static let prefix = Array("_SWY.".utf8)
    private static let processStart = 5
    private static let numberStart = processStart + 16 + 1
    private static let topicStart = numberStart + 16 + 1
    private static let sequenceStart = topicStart + 8 + 1
    private static let kindStart = sequenceStart + 16 + 1
    /// The length of the subject, in bytes.
    static let length = kindStart + 1

    private static let capital: UInt8 = 0x20
    private static let largest = UInt64(Int64.max)

    init(
        process: UInt64, number: UInt64, topic: UInt32, topicSequence: UInt64, kind: EventKind,
        isImmediate: Bool = false, isKept: Bool = false
    ) {
        self.process = process
        self.number = number
        self.topic = topic
        self.topicSequence = topicSequence
        self.kind = kind
        self.isImmediate = isImmediate
        self.isKept = isKept
    }

    /// Reads the numbers in a reply subject; nil if another program sent the message.
    init?(_ reply: UnsafePointer<CChar>) {
        let bytes = UnsafeRawPointer(reply)
        // Checks the length first, so as not to read beyond the end of a shorter subject.
        guard strncmp(reply, "_SWY.", 5) == 0, strnlen(reply, Self.length + 1) == Self.length,
            let process = HexDigits.read16(bytes + Self.processStart),
            let number = HexDigits.read16(bytes + Self.numberStart),
            let topic = HexDigits.read8(bytes + Self.topicStart),
            let topicSequence = HexDigits.read16(bytes + Self.sequenceStart),
            // Rejects numbers that no process can have reached, so that later sums do not overflow.
            number <= Self.largest, topicSequence <= Self.largest
        else { return nil }
        let letter = bytes.load(fromByteOffset: Self.kindStart, as: UInt8.self)
        let small = letter | Self.capital
        guard let kind = EventKind(rawValue: small) ?? EventKind(rawValue: small - 1) else {
            return nil
        }
        self.init(
            process: process, number: number, topic: UInt32(truncatingIfNeeded: topic),
            topicSequence: topicSequence, kind: kind, isImmediate: letter & Self.capital == 0,
            isKept: small != kind.rawValue)
    }

    /// The whole reply subject.
    var subject: [UInt8] {
        let small = isKept ? kind.rawValue + 1 : kind.rawValue
        let letter = isImmediate ? small & ~Self.capital : small
        var bytes = Self.prefix
        bytes += Array(repeating: UInt8(ascii: "."), count: Self.kindStart - bytes.count)
        bytes.append(letter)
        bytes.withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            HexDigits.write16(process, to: start + Self.processStart)
            HexDigits.write8(topic, to: start + Self.topicStart)
            Self.patch(start, number: number, topicSequence: topicSequence)
        }
        return bytes
    }

    /// Overwrites the two numbers of a subject that change with each notification of a topic.
    @inline(__always)
    static func patch(_ subject: UnsafeMutableRawPointer, number: UInt64, topicSequence: UInt64) {
        HexDigits.write16(number, to: subject + numberStart)
        HexDigits.write16(topicSequence, to: subject + sequenceStart)
    }
}
#endif

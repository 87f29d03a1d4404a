// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import Foundation

/// The time of day in UTC as RFC 3339 writes it, to the microsecond. The digits up to the second
/// are made once for all events of that second.
struct EventTime {
    static let length = 27
    private var second = -1
    private var digits = Array("0000-00-00T00:00:00.000000Z".utf8)

    /// A recorded time.
    struct Text {
        fileprivate let digits: [UInt8]

        /// Overwrites a time in a message.
        func write(to text: UnsafeMutableRawPointer) {
            digits.withUnsafeBytes { digits in
                if let start = digits.baseAddress {
                    text.copyMemory(from: start, byteCount: digits.count)
                }
            }
        }
    }

    /// Returns the present time, for a later `write(to:)`.
    mutating func now() -> Text {
        update()
        return Text(digits: digits)
    }

    /// Overwrites a time with the present one.
    mutating func patch(_ text: UnsafeMutableRawPointer) {
        update()
        digits.withUnsafeMutableBytes { digits in
            text.copyMemory(
                from: UnsafeRawPointer(digits.baseAddress ?? .init(text)), byteCount: Self.length)
        }
    }

    private mutating func update() {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        if now.tv_sec != second { setSecond(now.tv_sec) }
        digits.withUnsafeMutableBytes { digits in
            Self.write(now.tv_nsec / 1000, 6, in: digits, at: 20)
        }
    }

    private mutating func setSecond(_ new: Int) {
        second = new
        var seconds = time_t(new)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let numbers = [
            (Int(parts.tm_year) + 1900, 4, 0), (Int(parts.tm_mon) + 1, 2, 5),
            (Int(parts.tm_mday), 2, 8), (Int(parts.tm_hour), 2, 11), (Int(parts.tm_min), 2, 14),
            (Int(parts.tm_sec), 2, 17),
        ]
        digits.withUnsafeMutableBytes { digits in
            for (number, count, start) in numbers {
                Self.write(number, count, in: digits, at: start)
            }
        }
    }

    private static func write(
        _ number: Int, _ count: Int, in digits: UnsafeMutableRawBufferPointer, at start: Int
    ) {
        var rest = number
        for index in (start..<start + count).reversed() {
            digits[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }
}
#endif

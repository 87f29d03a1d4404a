// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CSwitchyard

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
        let now = switchyard_time_of_day()
        if Int(now.seconds) != second { setSecond(Int(now.seconds)) }
        digits.withUnsafeMutableBytes { digits in
            Self.write(Int(now.microseconds), 6, in: digits, at: 20)
        }
    }

    private mutating func setSecond(_ new: Int) {
        second = new
        let date = switchyard_utc_date(Int64(new))
        let numbers = [
            (Int(date.year), 4, 0), (Int(date.month), 2, 5), (Int(date.day), 2, 8),
            (Int(date.hour), 2, 11), (Int(date.minute), 2, 14), (Int(date.second), 2, 17),
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

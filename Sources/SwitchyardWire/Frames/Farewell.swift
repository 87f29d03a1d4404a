// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The last word of a poster: the number that its next notification would have.
///
/// A poster announces with PROMISE, right behind HELLO, that it will write FAREWELL. A hearer that
/// knows neither frame ignores both.
package enum Farewell {
    /// The body of PROMISE. A frame of the same type with another body means something else.
    private static let promise = Array("FAREWELL".utf8)

    /// The largest number in FAREWELL. FAREWELL names the number after the last notification's.
    private static let largest = UInt64(Int64.max)

    package static func writePromise(to writer: inout ByteWriter) {
        writer.frame(.promise) { writer in
            promise.withUnsafeBytes { writer.append(bytes: $0) }
        }
    }

    /// Returns whether the body of a PROMISE frame is the one that announces FAREWELL.
    package static func isPromise(_ body: UnsafeRawBufferPointer) -> Bool {
        body.elementsEqual(promise)
    }

    /// The body of the PROMISE that the poster chooses the members of groups that hear what it
    /// posts.
    private static let choice = Array("GROUPS".utf8)

    package static func writeChoice(to writer: inout ByteWriter) {
        writer.frame(.promise) { writer in
            choice.withUnsafeBytes { writer.append(bytes: $0) }
        }
    }

    /// Returns whether the body of a PROMISE frame says that the poster chooses the members of
    /// groups.
    package static func isChoice(_ body: UnsafeRawBufferPointer) -> Bool {
        body.elementsEqual(choice)
    }

    /// Returns the number in the body of a FAREWELL frame; nil if the body is no such number.
    package static func number(_ body: UnsafeRawBufferPointer) -> UInt64? {
        var reader = ByteReader(body)
        guard let number = try? reader.readUInt64(), number > 0, number <= largest else {
            return nil
        }
        return number
    }
}

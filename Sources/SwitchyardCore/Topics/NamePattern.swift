// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A pattern of names, whose parts are separated by dots: `folio.*.saved`, or `folio.>`.
///
/// `*` stands for one part, whatever it is, and `>`, at the end, for one part or more. So `folio.*`
/// matches `folio.document`, and `folio.>` also `folio.document.saved`; neither matches `folio`.
/// These are the wildcards of [NATS](https://docs.nats.io/nats-concepts/subjects#wildcards).
public struct NamePattern: Sendable, Hashable {
    /// The pattern as it is written.
    public let pattern: String
    /// Nil if there is no wildcard.
    let shape: PatternShape?

    /// A pattern; nil if `pattern` is none: `*` and `>` stand alone as parts, `>` is the last, and
    /// a pattern with a wildcard has at most 32 parts, a `>` not counted.
    public init?(_ pattern: String) {
        self.pattern = pattern
        var shape = PatternShape()
        // By bytes, as names are matched: a character may be a dot with an accent.
        let (star, rest) = (UInt8(ascii: "*"), UInt8(ascii: ">"))
        let parts = pattern.utf8.split(
            separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            switch Array(part.prefix(2)) {
            case [rest]:
                guard index == parts.count - 1 else { return nil }
                shape.hasRest = true
            case [star]:
                guard index < PatternShape.mostParts else { return nil }
                shape.stars |= 1 << UInt32(index)
                shape.parts += 1
            default:
                if part.contains(star) || part.contains(rest) { return nil }
                shape.parts += 1
            }
        }
        let hasWildcard = shape.stars != 0 || shape.hasRest
        if hasWildcard, shape.parts > PatternShape.mostParts { return nil }
        self.shape = hasWildcard ? shape : nil
    }

    /// Whether a name fits.
    public func matches(_ name: String) -> Bool {
        guard let shape else { return name == pattern }
        return NameParts.withParts(of: name) { bytes, ends, count in
            shape.fits(parts: count) && shape.pattern(of: bytes, ends) == pattern
        }
    }

    /// The topic of its observers.
    package var topic: Topic { shape == nil ? .name(pattern) : .pattern(pattern) }
}

extension NamePattern: ExpressibleByStringLiteral {
    /// A pattern that is written in the program. One that is none stops the program.
    public init(stringLiteral pattern: String) {
        guard let valid = NamePattern(pattern) else {
            Misuse.stop(
                "\"\(pattern)\" is no pattern of names: * and > stand alone between dots, > is the last part, and "
                    + "there are at most 32 parts, the > not counted")
        }
        self = valid
    }
}

extension NamePattern: CustomStringConvertible {
    /// The pattern as it is written.
    public var description: String { pattern }
}

/// The parts of a name, between its dots.
enum NameParts {
    /// Calls `body` with the bytes of a name, the end of each of its first 32 parts, and the number
    /// of all parts.
    static func withParts<Result>(
        of name: String,
        _ body: (UnsafeBufferPointer<UInt8>, UnsafeMutableBufferPointer<Int>, Int) -> Result
    ) -> Result {
        var name = name
        return name.withUTF8 { bytes in
            withUnsafeTemporaryAllocation(of: Int.self, capacity: PatternShape.mostParts) { ends in
                ends.initialize(repeating: 0)
                var count = 0
                for index in bytes.indices where bytes[index] == UInt8(ascii: ".") {
                    if count < ends.count { ends[count] = index }
                    count += 1
                }
                if count < ends.count { ends[count] = bytes.count }
                return body(bytes, ends, count + 1)
            }
        }
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The positions of the wildcards in a pattern. Patterns of one shape are found by one look into
/// the registry's table, however many there are.
struct PatternShape: Hashable, Sendable {
    static let mostParts = 32

    /// The number of parts, without a `>` at the end.
    var parts = 0
    /// The parts that are `*`, a bit each.
    var stars: UInt32 = 0
    /// Whether the last part is `>`.
    var hasRest = false

    /// Whether names of so many parts may fit.
    func fits(parts count: Int) -> Bool { hasRest ? count > parts : count == parts }

    /// The pattern of this shape that a name fits; nil if a part of the name that stands for itself
    /// looks like a wildcard.
    ///
    /// - Parameter ends: the end of each part in `name`; at least ``parts`` of them.
    func pattern(
        of name: UnsafeBufferPointer<UInt8>, _ ends: UnsafeMutableBufferPointer<Int>
    )
        -> String?
    {
        for part in 0..<parts where stars & 1 << UInt32(part) == 0 {
            let begin = part == 0 ? 0 : ends[part - 1] + 1
            let isWildcard =
                name[begin..<ends[part]].elementsEqual("*".utf8)
                || name[begin..<ends[part]].elementsEqual(">".utf8)
            if isWildcard { return nil }
        }
        // A part of the name that a `*` stands for may be empty, and so may the rest.
        let longest = name.count + stars.nonzeroBitCount + 2
        return String(unsafeUninitializedCapacity: longest) { bytes in
            var count = 0
            var begin = 0
            for part in 0..<parts {
                if part > 0 { count = Self.append(UInt8(ascii: "."), to: bytes, count) }
                if stars & 1 << UInt32(part) != 0 {
                    count = Self.append(UInt8(ascii: "*"), to: bytes, count)
                } else {
                    for index in begin..<ends[part] {
                        count = Self.append(name[index], to: bytes, count)
                    }
                }
                begin = ends[part] + 1
            }
            if hasRest {
                if parts > 0 { count = Self.append(UInt8(ascii: "."), to: bytes, count) }
                count = Self.append(UInt8(ascii: ">"), to: bytes, count)
            }
            return count
        }
    }

    private static func append(
        _ byte: UInt8, to bytes: UnsafeMutableBufferPointer<UInt8>, _ count: Int
    ) -> Int {
        bytes.initializeElement(at: count, to: byte)
        return count + 1
    }
}

/// The shapes of the patterns that are observed, as posting threads read them.
final class PatternShapes: Sendable {
    /// The most shapes for which a post has room.
    static let most = 48

    let shapes: [PatternShape]

    init(_ shapes: [PatternShape]) { self.shapes = shapes }
}

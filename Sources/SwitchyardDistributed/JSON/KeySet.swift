// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardWire

/// The keys of a dictionary that is being written, to find duplicates.
struct KeySet {
    private var ranges: [Range<Int>] = []
    /// All keys, once there are so many that comparing with each would take long.
    private var many: Set<[UInt8]> = []

    private static var fewest: Int { 32 }

    var count: Int { ranges.count }

    /// Adds the key at `range`.
    ///
    /// - Returns: Whether the key is new.
    mutating func insert(_ range: Range<Int>, of list: borrowing ByteWriter) -> Bool {
        let isNew = list.withBytes { bytes in
            if ranges.count < Self.fewest {
                return !ranges.contains {
                    $0.count == range.count && bytes[$0].elementsEqual(bytes[range])
                }
            }
            if many.isEmpty { many = Set(ranges.map { Array(bytes[$0]) }) }
            return many.insert(Array(bytes[range])).inserted
        }
        ranges.append(range)
        return isNew
    }
}

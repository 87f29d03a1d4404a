// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The keys of a dictionary that is being written, to find duplicates.
struct KeySet {
    private var places: [Range<Int>] = []
    /// All keys, once there are so many that comparing with each would take long.
    private var many: Set<[UInt8]> = []

    private static var fewest: Int { 32 }

    var count: Int { places.count }

    /// Adds the key at `place`.
    ///
    /// - Returns: Whether the key is new.
    mutating func insert(_ place: Range<Int>, of list: borrowing ByteWriter) -> Bool {
        let isNew = list.withBytes { bytes in
            if places.count < Self.fewest {
                return !places.contains {
                    $0.count == place.count && bytes[$0].elementsEqual(bytes[place])
                }
            }
            if many.isEmpty { many = Set(places.map { Array(bytes[$0]) }) }
            return many.insert(Array(bytes[place])).inserted
        }
        places.append(place)
        return isNew
    }
}

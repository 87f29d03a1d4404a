// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
@_spi(Engine) internal import SwitchyardCore

/// The keys of a received dictionary, in the order in which they came.
///
/// Programs post the same few keys over and over. Hashing and comparing `AnyHashable`s takes longer
/// than decoding everything else, so the next dictionary of the same shape is made from a copy of
/// the last.
final class DictionaryShape: @unchecked Sendable {
    // Sendable: all properties are constant, and the dictionary holds only strings and Bools.

    /// A dictionary of the shape, with placeholder values.
    let template: [AnyHashable: Any]
    /// The indices of the values in `template`, in the order of the keys.
    let indices: [Dictionary<AnyHashable, Any>.Index]
    /// The bytes of all keys.
    private let keys: [UInt8]
    /// The end of each key in `keys`.
    private let ends: [Int]

    /// - Parameter keys: The keys of `dictionary`, each once, in the order in which they came.
    init?(_ keys: [String], of dictionary: [AnyHashable: Any]) {
        // Half empty, and so is each copy: fewer keys collide, and comparing two `AnyHashable`s is
        // the slowest step of a look-up.
        var template = [AnyHashable: Any](minimumCapacity: 2 * dictionary.count)
        for (key, value) in dictionary { template[key] = value }
        var indices: [Dictionary<AnyHashable, Any>.Index] = []
        for key in keys {
            guard let index = template.index(forKey: AnyHashable(key)) else { return nil }
            indices.append(index)
            template.values[index] = false
        }
        self.template = template
        self.indices = indices
        self.keys = keys.flatMap(\.utf8)
        ends = keys.reduce(into: []) { ends, key in ends.append((ends.last ?? 0) + key.utf8.count) }
    }

    /// Whether the key at `index` has these bytes.
    @inline(__always)
    func has(_ key: UnsafeRawBufferPointer, at index: Int) -> Bool {
        let start = index == 0 ? 0 : ends[index - 1]
        guard key.count == ends[index] - start else { return false }
        guard let bytes = key.baseAddress else { return true }
        return keys.withUnsafeBytes { keys in
            keys.baseAddress.map { memcmp($0 + start, bytes, key.count) == 0 } ?? true
        }
    }

    // MARK: Recent shapes

    /// The most keys of a dictionary whose shape is kept; below, the most bytes of its keys.
    static let mostKeys = 16
    private static let mostBytes = 1024

    /// The recent shapes; each can be in one slot only. The lock is held only to read or replace
    /// one.
    private static let known: Guarded<[DictionaryShape?]> = {
        let known = Guarded([DictionaryShape?](repeating: nil, count: 64))
        // A forked child reads dictionaries as well.
        known.holdAcrossForks()
        return known
    }()

    static func prepareForForks() { _ = known }

    /// Returns the shape that a dictionary with `count` keys and this first one may have.
    static func likely(_ count: Int, first: UnsafeRawBufferPointer) -> DictionaryShape? {
        let slot = slot(count, first)
        return known.withLock { $0[slot] }
    }

    /// Keeps the shape of a dictionary for later ones.
    static func remember(_ keys: [String], of dictionary: [AnyHashable: Any]) {
        guard var first = keys.first, keys.reduce(0, { $0 + $1.utf8.count }) <= mostBytes,
            let shape = DictionaryShape(keys, of: dictionary)
        else { return }
        let slot = first.withUTF8 { Self.slot(keys.count, UnsafeRawBufferPointer($0)) }
        // The shape before is released without the lock.
        let before = known.withLock { known in
            defer { known[slot] = shape }
            return known[slot]
        }
        withExtendedLifetime(before) {}
    }

    private static func slot(_ count: Int, _ first: UnsafeRawBufferPointer) -> Int {
        var mixed = UInt(count) &* 31 &+ UInt(first.count)
        for byte in first.prefix(8) { mixed = mixed &* 31 &+ UInt(byte) }
        return Int(mixed & 63)
    }
}

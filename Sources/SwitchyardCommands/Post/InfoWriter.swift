// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardConsole
internal import SwitchyardDistributed
internal import SwitchyardWire

/// Writes one `userInfo` after another as bytes, without making dictionaries. All of them may have
/// common entries.
struct InfoWriter: ~Copyable {
    private var list = ByteWriter()
    private var count = 0
    private var commonKeys: Set<String> = []
    /// The end of the common entries, and their number.
    private var common = (end: 0, count: 0)

    /// The position of the number of entries, behind the tag.
    private static let countPlace = 1

    /// - Parameters:
    ///   - entries: the common entries of all `userInfo`s.
    ///   - object: a JSON object whose members are common entries too, unless `entries` has their
    ///     key.
    init(_ entries: [InfoEntry] = [], object: [UInt8]? = nil) throws {
        list.append(PropertyListTag.dictionary)
        list.append(UInt32(0))
        for entry in entries {
            guard commonKeys.insert(entry.key).inserted else {
                throw MalformedInput("--info has '\(entry.key)' twice")
            }
            beginEntry(entry.key)
            entry.value.withUnsafeBytes { list.append(bytes: $0) }
        }
        if let object { try object.withUnsafeBytes { try add(membersOf: $0) } }
        common = (list.count, count)
        list.patch(UInt32(truncatingIfNeeded: count), at: Self.countPlace)
        commonKeys = try list.withBytes { bytes in
            Set(try PropertyListCoding.decodeUserInfo(bytes).keys.compactMap { $0 as? String })
        }
    }

    /// Returns whether a common entry has the key.
    func hasCommon(_ key: String) -> Bool { commonKeys.contains(key) }

    /// Adds a string, given as UTF-8, unless its key is that of a common entry.
    mutating func add(_ key: String, string: UnsafeRawBufferPointer) {
        add(key, .string, string)
    }

    /// Adds bytes, unless their key is that of a common entry.
    mutating func add(_ key: String, data: UnsafeRawBufferPointer) { add(key, .data, data) }

    /// Adds the members of a JSON object, except those whose keys are those of common entries.
    mutating func add(membersOf json: UnsafeRawBufferPointer) throws(MalformedInput) {
        count += try JSONScanner.append(membersOf: json, but: commonKeys, to: &list)
    }

    /// Returns the `userInfo` with the common and the added entries, and removes the added ones.
    mutating func take() throws -> DistributedPayload {
        defer { removeAdded() }
        if count == 0 { return .none }
        list.patch(UInt32(truncatingIfNeeded: count), at: Self.countPlace)
        return try DistributedPayload(encodedUserInfo: list.withBytes { Array($0) })
    }

    /// Removes the added entries.
    mutating func removeAdded() {
        list.truncate(to: common.end)
        count = common.count
    }

    private mutating func add(
        _ key: String, _ tag: PropertyListTag, _ bytes: UnsafeRawBufferPointer
    ) {
        if !commonKeys.isEmpty, commonKeys.contains(key) { return }
        beginEntry(key)
        list.append(tag)
        list.append(UInt32(truncatingIfNeeded: bytes.count))
        list.append(bytes: bytes)
    }

    private mutating func beginEntry(_ key: String) {
        list.append(UInt32(truncatingIfNeeded: key.utf8.count))
        list.append(string: key)
        count += 1
    }
}

extension InfoWriter {
    /// Adds a line under the key `line`. If the line is not UTF-8, `line` has replacement
    /// characters, and `lineData` has the bytes.
    mutating func add(_ line: Line) {
        line.withBytes { bytes in
            if bytes.isUTF8 { return add("line", string: bytes) }
            Array(String(decoding: bytes, as: UTF8.self).utf8).withUnsafeBytes {
                add("line", string: $0)
            }
            add("lineData", data: bytes)
        }
    }
}

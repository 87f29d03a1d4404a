// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardDistributed

/// Encodes one `userInfo` after another, without making dictionaries; some entries stand in all of
/// them.
struct InfoWriter: ~Copyable {
    private var list = ByteWriter()
    private var count = 0
    private var commonKeys: Set<String> = []
    /// Where what stands in all of them ends, and how many entries that are.
    private var common = (end: 0, count: 0)

    /// Behind the tag.
    private static let countPlace = 1

    /// - Parameters:
    ///   - entries: what stands in all of them.
    ///   - object: a JSON object whose members do so as well, unless an entry has their key.
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

    /// Whether an entry of this key stands in all of them.
    func hasCommon(_ key: String) -> Bool { commonKeys.contains(key) }

    /// Adds a string, of bytes that are UTF-8, unless its key stands in all of them.
    mutating func add(_ key: String, string: UnsafeRawBufferPointer) {
        add(key, .string, string)
    }

    /// Adds bytes, unless their key stands in all of them.
    mutating func add(_ key: String, data: UnsafeRawBufferPointer) { add(key, .data, data) }

    /// Adds the members of a JSON object, but for those whose keys stand in all of them.
    mutating func add(membersOf json: UnsafeRawBufferPointer) throws(MalformedInput) {
        count += try JSONScanner.append(membersOf: json, but: commonKeys, to: &list)
    }

    /// The `userInfo` with what was added; nothing is from now on.
    mutating func take() throws -> DistributedPayload {
        defer { removeAdded() }
        if count == 0 { return .none }
        list.patch(UInt32(truncatingIfNeeded: count), at: Self.countPlace)
        return try DistributedPayload(encodedUserInfo: list.withBytes { Array($0) })
    }

    /// Forgets what was added.
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
    /// Adds a line as `line`. Where it is not UTF-8, replacement characters stand in it, and
    /// `lineData` has the bytes as they are.
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

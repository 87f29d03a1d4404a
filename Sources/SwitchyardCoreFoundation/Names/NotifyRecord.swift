// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if !canImport(Darwin)
internal import CSwitchyardCoreFoundation

/// The last post of a name, and its state.
struct NotifyRecord: Hashable, Sendable {
    /// The mark of the last post; 0 if there was none.
    var post: UInt64 = 0
    var state: UInt64 = 0

    /// Returns a mark for a post.
    ///
    /// A random number, and no count: two processes that post at once might write the same count,
    /// and a process that read it between the two would not see the second post. A count would need
    /// a lock, which a process that is stopped might hold.
    static func newMark() -> UInt64 { .random(in: 1...(.max)) }
}

extension switchyard_notify_number {
    init(sealing value: UInt64) {
        self.init(value: value, seal: switchyard_notify_seal(value))
    }

    var isWhole: Bool { seal == switchyard_notify_seal(value) }
}

extension switchyard_notify_record {
    /// A record without posts and state.
    init(of name: NotifyName) {
        self.init(
            magic: SWITCHYARD_NOTIFY_MAGIC, name_length: UInt32(name.bytes.count), unused: 0,
            post: switchyard_notify_number(sealing: 0),
            state: switchyard_notify_number(sealing: 0))
    }

    /// Whether the constant part is that of a record for this name.
    func isRecord(of name: NotifyName) -> Bool {
        magic == SWITCHYARD_NOTIFY_MAGIC && name_length == name.bytes.count
    }

    /// Whether this begins as records of other versions do: seven bytes, and then the version.
    var isOfOtherVersion: Bool {
        magic != SWITCHYARD_NOTIFY_MAGIC && magic << 8 == SWITCHYARD_NOTIFY_MAGIC << 8
    }
}
#endif

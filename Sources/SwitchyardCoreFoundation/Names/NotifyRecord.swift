// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if !canImport(Darwin)
internal import CSwitchyardCoreFoundation
internal import Foundation

/// The count of posts and the state of a name, in memory that processes share, or in this process's own.
final class NotifyRecord: @unchecked Sendable {
    // Sendable: constant; what the pointer leads to is read and written by atomic operations.
    private let record: UnsafeMutablePointer<switchyard_notify_record>
    /// The file that holds the record; nil for a name of this process alone.
    let file: NotifyFile?

    /// Creates the record of a name that belongs to this process.
    init() {
        record = .allocate(capacity: 1)
        record.initialize(to: switchyard_notify_record())
        file = nil
    }

    /// Maps the record of a name that processes share. The file is long enough.
    init(in file: NotifyFile) throws(NotifyError) {
        guard
            let memory = mmap(
                nil, MemoryLayout<switchyard_notify_record>.size, PROT_READ | PROT_WRITE,
                MAP_SHARED,
                file.descriptor, 0),
            memory != MAP_FAILED
        else { throw .failed("a name's file can't be mapped: \(String(cString: strerror(errno)))") }
        record = memory.bindMemory(to: switchyard_notify_record.self, capacity: 1)
        self.file = file
    }

    deinit {
        if file == nil {
            record.deallocate()
        } else {
            munmap(record, MemoryLayout<switchyard_notify_record>.size)
        }
    }

    /// The number of posts.
    var count: UInt64 { switchyard_notify_count(record) }

    var state: UInt64 {
        get { switchyard_notify_state(record) }
        set { switchyard_notify_set(record, newValue) }
    }

    /// Counts a post, and has the system tell those that watch the file.
    func post() {
        switchyard_notify_add(record)
        file?.wake()
    }
}
#endif

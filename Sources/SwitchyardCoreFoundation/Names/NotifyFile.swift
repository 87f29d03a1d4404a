// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if !canImport(Darwin)
internal import CSwitchyard
internal import CSwitchyardCoreFoundation
internal import Foundation

/// The open file of a name.
///
/// Processes that have a registration for the name hold a shared lock on the file (flock), which the
/// system gives back when a process ends in any way. A process that gets the lock alone is the only one
/// with a registration: it may begin the record anew, or remove the file.
final class NotifyFile: Sendable {
    let name: NotifyName
    let path: String
    let descriptor: Int32
    /// The number of forks before the file was opened.
    private let generation = switchyard_fork_generation()
    /// The offset of `wake` in the record.
    private static let wakeOffset =
        MemoryLayout<switchyard_notify_record>.offset(of: \.wake) ?? 0

    private init(_ name: NotifyName, _ path: String, _ descriptor: Int32) {
        self.name = name
        self.path = path
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    // MARK: - Opening

    /// Opens the file for a post; nil if there is none, because nobody has a registration.
    static func find(_ name: NotifyName, in folder: NotifyFolder) throws(NotifyError) -> NotifyFile?
    {
        let descriptor = openat(
            folder.descriptor, name.fileName, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        if descriptor < 0 {
            if errno == ENOENT { return nil }
            throw Self.refused(folder.path(of: name))
        }
        let file = NotifyFile(name, folder.path(of: name), descriptor)
        return file.isComplete ? file : nil
    }

    /// Opens the file for a registration, or makes it, and holds the shared lock on it.
    static func join(_ name: NotifyName, in folder: NotifyFolder) throws(NotifyError) -> NotifyFile
    {
        // Another process may remove the file between the opening and the lock. It then had the last
        // registration; a second attempt fails only if yet another one comes and goes.
        while true {
            let descriptor = openat(
                folder.descriptor, name.fileName, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw Self.refused(folder.path(of: name)) }
            let file = NotifyFile(name, folder.path(of: name), descriptor)
            if file.lock(LOCK_EX | LOCK_NB) { try file.begin() }
            // Waits only while another process begins or removes the record.
            guard file.lock(LOCK_SH) else { throw Self.refused(file.path) }
            if !file.isRemoved, file.isComplete { return file }
            if !file.isRemoved, !file.isEmpty {
                throw .failed("the file \(file.path) is not what it should be: remove it")
            }
        }
    }

    private static func refused(_ path: String) -> NotifyError {
        .failed("the file \(path) can't be used: \(String(cString: strerror(errno)))")
    }

    private func lock(_ kind: Int32) -> Bool {
        while flock(descriptor, kind) != 0 {
            if errno != EINTR { return false }
        }
        return true
    }

    /// Writes a new record, with no posts and no state. The caller has the lock alone.
    private func begin() throws(NotifyError) {
        var record = switchyard_notify_record()
        record.magic = SWITCHYARD_NOTIFY_MAGIC
        record.name_length = UInt32(name.bytes.count)
        let bytes = withUnsafeBytes(of: record) { Array($0) } + name.bytes
        // Never made shorter: a process that posts may have mapped it.
        guard pwrite(descriptor, bytes, bytes.count, 0) == bytes.count else {
            throw Self.refused(path)
        }
    }

    // MARK: - Looking

    private var status: stat {
        var status = stat()
        fstat(descriptor, &status)
        return status
    }

    /// Whether the file has lost its name: nobody else can find it.
    var isRemoved: Bool { status.st_nlink == 0 }

    /// Whether the process that made the file has ended before it wrote the record.
    private var isEmpty: Bool { status.st_size == 0 }

    /// Whether the file has a record, and of this name.
    private var isComplete: Bool {
        let headLength = MemoryLayout<switchyard_notify_record>.size
        var bytes = [UInt8](repeating: 0, count: headLength + name.bytes.count)
        guard pread(descriptor, &bytes, bytes.count, 0) == bytes.count else { return false }
        let head = bytes.withUnsafeBytes { $0.loadUnaligned(as: switchyard_notify_record.self) }
        return head.magic == SWITCHYARD_NOTIFY_MAGIC && head.name_length == name.bytes.count
            && bytes[headLength...].elementsEqual(name.bytes)
    }

    // MARK: - Using

    /// Has the system tell those that watch the file of a change.
    func wake() {
        var zeros: UInt32 = 0
        pwrite(descriptor, &zeros, MemoryLayout<UInt32>.size, off_t(Self.wakeOffset))
    }

    /// Ends this process's registration: removes the file if no other process has one. In a forked
    /// child, the lock is shared with the parent, which goes on using the file.
    func leave() {
        guard generation == switchyard_fork_generation() else { return }
        // Given back first: of two processes that leave at once, the later one must get it.
        _ = lock(LOCK_UN)
        if lock(LOCK_EX | LOCK_NB), !isRemoved { unlink(path) }
    }
}
#endif

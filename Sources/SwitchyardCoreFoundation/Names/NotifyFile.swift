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
    /// The folder that the file was opened in. Its path may lead to another one meanwhile.
    private let folder: NotifyFolder
    /// The number of forks before the file was opened.
    private let generation = switchyard_fork_generation()
    /// The offset of `wake` in the record.
    private static let wakeOffset =
        MemoryLayout<switchyard_notify_record>.offset(of: \.wake) ?? 0

    private init(_ name: NotifyName, _ folder: NotifyFolder, _ descriptor: Int32) {
        self.name = name
        self.folder = folder
        path = folder.path(of: name)
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
            let error = errno
            if error == ENOENT { return nil }
            throw Self.refused(folder.path(of: name), error)
        }
        let file = NotifyFile(name, folder, descriptor)
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
            let error = errno
            guard descriptor >= 0 else { throw Self.refused(folder.path(of: name), error) }
            let file = NotifyFile(name, folder, descriptor)
            if file.lock(LOCK_EX | LOCK_NB) == 0 { try file.begin() }
            // Waits only while another process begins or removes the record.
            let refusal = file.lock(LOCK_SH)
            guard refusal == 0 else { throw Self.refused(file.path, refusal) }
            if !file.isRemoved, file.isComplete { return file }
            if !file.isRemoved, !file.isEmpty {
                throw .failed("the file \(file.path) is not what it should be: remove it")
            }
        }
    }

    private static func refused(_ path: String, _ error: Int32) -> NotifyError {
        .failed("the file \(path) can't be used: \(String(cString: strerror(error)))")
    }

    /// - Returns: Zero, or the number of the error.
    private func lock(_ kind: Int32) -> Int32 {
        while flock(descriptor, kind) != 0 {
            let error = errno
            if error != EINTR { return error }
        }
        return 0
    }

    /// Writes a new record, with no posts and no state. The caller has the lock alone.
    private func begin() throws(NotifyError) {
        var record = switchyard_notify_record()
        record.magic = SWITCHYARD_NOTIFY_MAGIC
        record.name_length = UInt32(name.bytes.count)
        let bytes = withUnsafeBytes(of: record) { Array($0) } + name.bytes
        // The process's mask may have taken the user's own rights from a new file.
        guard fchmod(descriptor, 0o600) == 0 else { throw Self.refused(path, errno) }
        // Never made shorter: a process that posts may have mapped it.
        let count = pwrite(descriptor, bytes, bytes.count, 0)
        let error = count < 0 ? errno : ENOSPC
        guard count == bytes.count else { throw Self.refused(path, error) }
    }

    // MARK: - Looking

    private var status: stat { Self.status(of: descriptor) }

    private static func status(of descriptor: Int32) -> stat {
        var status = stat()
        fstat(descriptor, &status)
        return status
    }

    /// Whether the file has lost its name: nobody else can find it.
    var isRemoved: Bool { status.st_nlink == 0 }

    /// Returns whether both are open on one file.
    func isSameFile(as other: NotifyFile) -> Bool {
        Self.areSame(descriptor, other.descriptor)
    }

    /// Returns whether both descriptors are open on one file, or one folder.
    static func areSame(_ one: Int32, _ other: Int32) -> Bool {
        let (one, other) = (status(of: one), status(of: other))
        return one.st_dev == other.st_dev && one.st_ino == other.st_ino
    }

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

    /// Ends this process's registration: removes the file if no other process has one. A file that was
    /// opened before a fork is the parent's: its lock is one for both, and the child does not touch it.
    func leave() {
        guard generation == switchyard_fork_generation() else { return }
        // Given back first: of two processes that leave at once, the later one must get it.
        _ = lock(LOCK_UN)
        if lock(LOCK_EX | LOCK_NB) == 0, !isRemoved {
            unlinkat(folder.descriptor, name.fileName, 0)
        }
        // Not left to the closing of the file: a forked child that has it open would keep the lock.
        _ = lock(LOCK_UN)
    }
}
#endif

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if !canImport(Darwin)
internal import CSwitchyard
internal import CSwitchyardCoreFoundation
internal import Foundation

/// The open file of a name.
///
/// Processes that have a registration for the name hold a shared lock on the file (flock), which
/// the system gives back when a process ends in any way. A process that gets the lock alone is the
/// only one with a registration: it may begin the record anew, or remove the file.
///
/// The file is not mapped: another process may make it shorter, and Linux ends a process that reads
/// mapped memory which the file does not have any more.
final class NotifyFile: Sendable {
    let name: NotifyName
    let path: String
    /// The name in the folder. Kept, because each look at the file needs it.
    private let fileName: String
    let descriptor: Int32
    /// The folder that the file was opened in. Its path may lead to another one meanwhile.
    private let folder: NotifyFolder
    /// The number of forks before the file was opened.
    private let generation = switchyard_fork_generation()
    /// The file that was opened, whatever its name leads to now.
    private let identity: FileIdentity?

    private init(_ name: NotifyName, _ folder: NotifyFolder, _ descriptor: Int32) {
        self.name = name
        self.folder = folder
        path = folder.path(of: name)
        fileName = name.fileName
        self.descriptor = descriptor
        identity = FileIdentity(of: descriptor)
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
        switch file.content {
        case .complete: return file
        case .damaged: return file.isWhole() ? file : nil
        case .other: throw file.isOther
        }
    }

    /// Looks again at a file that seemed damaged, because another process may just have made the
    /// file, and not have written its record yet. Discards the file if it is damaged.
    ///
    /// - Returns: Whether it has a record by now.
    private func isWhole() -> Bool {
        // Given back in any case: another process that has the last registration needs it to leave.
        defer { _ = lock(LOCK_UN) }
        // Alone with the file: nobody has a registration, so that there is nobody to tell.
        if lock(LOCK_EX | LOCK_NB) == 0 { return false }
        // Another process has the lock alone: it begins the record, and has no registration yet, or
        // removes the file.
        if lock(LOCK_SH | LOCK_NB) != 0 { return false }
        // No process begins the record while this lock is held.
        if content == .complete { return true }
        // A process that has a registration sees that its file has gone, and takes that for a post.
        discard()
        return false
    }

    /// Opens the file for a registration, or makes it, and holds the shared lock on it.
    ///
    /// - Parameter onDamage: Called with the problem if the file was damaged, and is made again.
    static func join(
        _ name: NotifyName, in folder: NotifyFolder, onDamage: (String) -> Void = { _ in }
    ) throws(NotifyError) -> NotifyFile {
        // Another process may remove the file between the opening and the lock. It then had the
        // last registration; a second attempt fails only if yet another one comes and goes.
        while true {
            let descriptor = openOrMake(name, in: folder)
            let error = errno
            guard descriptor >= 0 else { throw Self.refused(folder.path(of: name), error) }
            let file = NotifyFile(name, folder, descriptor)
            if file.lock(LOCK_EX | LOCK_NB) == 0 { try file.begin() }
            try file.joinOthers()
            guard file.hasName else { continue }
            switch file.content {
            case .complete: return file
            case .damaged:
                // A post of another process may have had the lock, and kept this one from
                // beginning.
                if file.lock(LOCK_EX | LOCK_NB) == 0 { continue }
                // Other processes have registrations, and see that their file has gone.
                onDamage(file.damage)
                file.discard()
            case .other: throw file.isOther
            }
        }
    }

    /// Gets the shared lock. Waits only while another process begins or removes the record, which
    /// takes it no time, unless it was stopped then: so the wait has a limit.
    private func joinOthers() throws(NotifyError) {
        for _ in 0..<Self.lockLimit {
            let refusal = lock(LOCK_SH | LOCK_NB)
            if refusal == 0 { return }
            guard refusal == EWOULDBLOCK else { throw Self.refused(path, refusal) }
            usleep(1_000)
        }
        throw .failed(
            "another process holds the file \(path) and does not go on, perhaps because it was "
                + "stopped: let it go on, or end it")
    }

    /// The number of times that the lock is tried, a millisecond apart.
    private static let lockLimit = 2_000

    /// Opens the file, or makes it, with a record from the moment at which it has its name.
    /// Otherwise processes that post would find it empty, and several of them could keep this one
    /// from writing the record for so long that it looks damaged.
    ///
    /// - Returns: The descriptor; negative if `errno` says why there is none.
    private static func openOrMake(_ name: NotifyName, in folder: NotifyFolder) -> Int32 {
        let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW
        while true {
            let descriptor = openat(folder.descriptor, name.fileName, flags)
            if descriptor >= 0 || errno != ENOENT { return descriptor }
            let content = record(of: name)
            let result = switchyard_notify_file_make(
                folder.descriptor, name.fileName, content, content.count)
            // Not every file system has files without a name.
            if result != 0, result != -EEXIST {
                return openat(folder.descriptor, name.fileName, flags | O_CREAT, 0o600)
            }
        }
    }

    /// A record with no posts and no state.
    private static func record(of name: NotifyName) -> [UInt8] {
        let record = switchyard_notify_record(of: name)
        return withUnsafeBytes(of: record) { Array($0) } + name.bytes
    }

    /// The error for a file with a record of another name or version.
    private var isOther: NotifyError {
        .failed("the file \(path) has a record of another name or version: remove it")
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
        // The process's mask may have taken the user's own rights from a new file.
        guard fchmod(descriptor, 0o600) == 0 else { throw Self.refused(path, errno) }
        // The file is not made shorter before: a process that posts may have looked at the record.
        try write(Self.record(of: name), at: 0)
    }

    // MARK: - Looking

    /// Whether the file has its name. Others find no file under it, or another one, if the file was
    /// removed or renamed, or the folder was removed.
    var hasName: Bool {
        identity != nil && identity == FileIdentity(of: fileName, in: folder.descriptor)
    }

    /// Returns whether both are open on one file.
    func isSameFile(as other: NotifyFile) -> Bool {
        identity != nil && identity == other.identity
    }

    /// The kinds of content that a file may have.
    private enum Content {
        /// A record of its name.
        case complete
        /// No record, or none that can be read.
        case damaged
        /// A record of another name with the same file name, or of another version of this library.
        case other
    }

    private var content: Content {
        guard let head else { return .damaged }
        guard head.isRecord(of: name) else { return head.isOfOtherVersion ? .other : .damaged }
        var bytes = [UInt8](repeating: 0, count: name.bytes.count)
        let offset = MemoryLayout<switchyard_notify_record>.size
        guard pread(descriptor, &bytes, bytes.count, off_t(offset)) == bytes.count else {
            return .damaged
        }
        guard bytes == name.bytes else { return name.sharesFileName ? .other : .damaged }
        return record() == nil ? .damaged : .complete
    }

    /// The beginning of the file, whatever it is; nil if the file is shorter.
    private var head: switchyard_notify_record? {
        var head = switchyard_notify_record()
        let size = MemoryLayout<switchyard_notify_record>.size
        return pread(descriptor, &head, size, 0) == size ? head : nil
    }

    /// Reads the record, with a call of the system; nil if the file is damaged: too short, or with
    /// bytes that no process writes that uses this library.
    func record() -> NotifyRecord? {
        for _ in 0..<Self.readLimit {
            guard let head, head.isRecord(of: name) else { return nil }
            if head.post.isWhole, head.state.isWhole {
                return NotifyRecord(post: head.post.value, state: head.state.value)
            }
            // Another process is writing, which takes it no time unless its processor was taken
            // away.
            sched_yield()
        }
        return nil
    }

    /// The number of times that a number is read which another process may be writing.
    private static let readLimit = 1_000

    /// The report of a damaged file.
    var damage: String {
        "the file \(path) was damaged by another program, and is made again: registrations for its "
            + "name are told once, as of a post"
    }

    // MARK: - Using

    /// Marks a post. Linux tells those that watch the file of this write.
    func write(post mark: UInt64) throws(NotifyError) {
        try write(mark, at: MemoryLayout<switchyard_notify_record>.offset(of: \.post))
    }

    /// Sets the state. Processes that watch the file are woken, and see no post.
    func write(state: UInt64) throws(NotifyError) {
        try write(state, at: MemoryLayout<switchyard_notify_record>.offset(of: \.state))
    }

    /// Has the system tell those that watch the file of a change, and changes nothing.
    func wake() throws(NotifyError) {
        let magic = SWITCHYARD_NOTIFY_MAGIC
        try write(withUnsafeBytes(of: magic) { Array($0) }, at: 0)
    }

    private func write(_ value: UInt64, at offset: Int?) throws(NotifyError) {
        let number = switchyard_notify_number(sealing: value)
        try write(withUnsafeBytes(of: number) { Array($0) }, at: offset ?? 0)
    }

    private func write(_ bytes: [UInt8], at offset: Int) throws(NotifyError) {
        let count = pwrite(descriptor, bytes, bytes.count, off_t(offset))
        let error = count < 0 ? errno : ENOSPC
        guard count == bytes.count else { throw Self.refused(path, error) }
    }

    /// Removes the file, if it has its name. A file that another process has made meanwhile stays.
    func discard() {
        if hasName { unlinkat(folder.descriptor, fileName, 0) }
    }

    /// Ends this process's registration: removes the file if no other process has one. A file that
    /// was opened before a fork is the parent's: its lock is one for both, and the child does not
    /// touch it.
    func leave() {
        guard generation == switchyard_fork_generation() else { return }
        // Given back first: of two processes that leave at once, the later one must get it.
        _ = lock(LOCK_UN)
        if lock(LOCK_EX | LOCK_NB) == 0 { discard() }
        // The lock is given back before the file is closed: a forked child that has the file open
        // would keep the lock.
        _ = lock(LOCK_UN)
    }
}
#endif

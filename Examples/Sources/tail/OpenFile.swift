// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardConsole

/// The identity of a file, which does not depend on its name.
struct FileIdentity: Equatable {
    let device: UInt64
    let node: UInt64

    init(_ status: stat) {
        device = UInt64(status.st_dev)
        node = UInt64(status.st_ino)
    }
}

/// The status of a file at one moment.
struct FileStatus {
    let identity: FileIdentity
    let size: Int
    let isRegular: Bool
    let isFolder: Bool

    private init(_ status: stat) {
        identity = FileIdentity(status)
        size = Int(status.st_size)
        isRegular = status.st_mode & S_IFMT == S_IFREG
        isFolder = status.st_mode & S_IFMT == S_IFDIR
    }

    /// Reads the status of the file that `path` names.
    init(path: String) throws(SystemError) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw .last }
        self.init(status)
    }

    /// Reads the status of an open file.
    init(descriptor: Int32) throws(SystemError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .last }
        self.init(status)
    }
}

/// A file that is open for reading, until the last reference is released.
final class OpenFile {
    let status: FileStatus
    private let descriptor: Int32
    /// The number of bytes read so far.
    private(set) var position = 0

    init(path: String) throws(SystemError) {
        // O_NONBLOCK is needed: a pipe without a writer would hold up its thread for good.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last }
        do throws(SystemError) {
            status = try FileStatus(descriptor: descriptor)
            if status.isFolder { throw SystemError(code: EISDIR) }
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Whether the file is shorter than the part that was read.
    var isTruncated: Bool {
        guard status.isRegular, let now = try? FileStatus(descriptor: descriptor) else {
            return false
        }
        return now.size < position
    }

    /// Reads on from the end of the last read. Returns 0 when there is no more for now.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        while true {
            let count = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 {
                position += count
                return count
            }
            if errno == EAGAIN { return 0 }
            if errno != EINTR { throw .last }
        }
    }

    /// Moves to `position`, where the next read begins.
    func seek(to position: Int) {
        if lseek(descriptor, off_t(position), SEEK_SET) >= 0 { self.position = position }
    }

    /// Fills `buffer` with the bytes at `position`. Returns false if the file does not have them
    /// any more.
    func peek(at position: Int, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
        pread(descriptor, buffer.baseAddress, buffer.count, off_t(position)) == buffer.count
    }
}

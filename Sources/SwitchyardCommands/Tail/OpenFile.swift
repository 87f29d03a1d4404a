// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// Which file it is, whatever its name.
struct FileIdentity: Equatable {
    let device: UInt64
    let node: UInt64

    init(_ status: stat) {
        device = UInt64(status.st_dev)
        node = UInt64(status.st_ino)
    }
}

/// What a path names at the moment.
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

    /// Of what `path` names.
    init(path: String) throws(SystemError) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw .last }
        self.init(status)
    }

    /// Of an open file.
    init(descriptor: Int32) throws(SystemError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .last }
        self.init(status)
    }
}

/// A file that is open for reading, until it is let go.
final class OpenFile {
    let status: FileStatus
    private let descriptor: Int32
    /// How much of it was read.
    private(set) var position = 0

    init(path: String) throws(SystemError) {
        // Without O_NONBLOCK, a pipe without a writer would hold up its thread for good.
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

    /// Whether it is shorter than what was read of it.
    var isTruncated: Bool {
        guard status.isRegular, let now = try? FileStatus(descriptor: descriptor) else {
            return false
        }
        return now.size < position
    }

    /// Reads on from where the last read ended; 0 when there is no more for now.
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

    /// Goes on from `position`.
    func seek(to position: Int) {
        if lseek(descriptor, off_t(position), SEEK_SET) >= 0 { self.position = position }
    }

    /// Fills `buffer` with what stands at `position`; false if it is not there any more.
    func peek(at position: Int, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
        pread(descriptor, buffer.baseAddress, buffer.count, off_t(position)) == buffer.count
    }
}

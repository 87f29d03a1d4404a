// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if !canImport(Darwin)
internal import CSwitchyard
internal import Foundation
internal import SwitchyardCore

/// A thread that waits for changes of names' files. Linux tells of them (inotify), one event for
/// several changes in a row. The thread lives as long as the process.
final class NotifyWatch: Sendable {
    /// A change of files.
    enum Event: Hashable {
        /// A change of the file that ``add(_:)`` gave this number.
        case file(Int32)
        /// A change of any file: there were more changes than the system keeps.
        case any
    }

    private let descriptor: Int32
    /// The size of the thread's stack.
    private let stackBytes: Int

    init(stackBytes: Int = 512 * 1024) throws(NotifyError) {
        self.stackBytes = stackBytes
        descriptor = inotify_init1(Int32(IN_CLOEXEC))
        guard descriptor >= 0 else {
            throw .failed(
                "the system watches no more files for this user: raise "
                    + "fs.inotify.max_user_instances, or the limit of open files")
        }
        // A child that read the events would take them from its parent.
        _ = switchyard_fork_closes(descriptor)
    }

    /// Watches a file: posts, which write to it, and whether it loses its name.
    ///
    /// - Returns: The number of the watched file.
    func add(_ file: NotifyFile) throws(NotifyError) -> Int32 {
        let number = inotify_add_watch(
            descriptor, file.path, UInt32(IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF | IN_DONT_FOLLOW))
        guard number >= 0 else {
            throw .failed(
                "the file \(file.path) can't be watched: \(String(cString: strerror(errno))); "
                    + "fs.inotify.max_user_watches is the limit for this user")
        }
        return number
    }

    func remove(_ number: Int32) { inotify_rm_watch(descriptor, number) }

    /// Closes the descriptor of a watch whose thread was not started.
    func close() { switchyard_fork_close(descriptor) }

    /// Starts the thread, which calls `body` with changes: each file once, in the order of the
    /// first ones.
    ///
    /// Not by Foundation's `Thread`, which does not say when the system can't start one.
    func start(_ body: @escaping @Sendable ([Event]) -> Void) throws(NotifyError) {
        let work = Unmanaged.passRetained(Work(descriptor, body))
        let error = switchyard_thread_start(
            stackBytes,
            { work in
                if let work { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().run() }
                return nil
            }, work.toOpaque())
        if error == 0 { return }
        work.release()
        throw .failed(
            "the system can't start the thread sw-notify: \(String(cString: strerror(error))); "
                + "end threads, or raise the limits (ulimit -u, ulimit -v)")
    }

    /// The thread's main function.
    private final class Work: Sendable {
        private let descriptor: Int32
        private let body: @Sendable ([Event]) -> Void

        init(_ descriptor: Int32, _ body: @escaping @Sendable ([Event]) -> Void) {
            self.descriptor = descriptor
            self.body = body
        }

        func run() {
            ThreadName.current = "sw-notify"
            // Programs' signal handlers run on their own threads.
            switchyard_block_signals()
            NotifyWatch.read(descriptor, body)
        }
    }

    private static func read(_ descriptor: Int32, _ body: ([Event]) -> Void) {
        let size = 64 * 1024
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        while true {
            let count = Glibc.read(descriptor, buffer.baseAddress, size)
            if count > 0 { body(events(in: UnsafeRawBufferPointer(rebasing: buffer[..<count]))) }
            // The wait was not interrupted: the descriptor is unusable, because code that does not
            // own it has closed it.
            if count < 0, errno != EINTR { break }
        }
        buffer.deallocate()
    }

    private static func events(in bytes: UnsafeRawBufferPointer) -> [Event] {
        var (events, known, offset) = ([Event](), Set<Event>(), 0)
        let headLength = MemoryLayout<inotify_event>.size
        while offset + headLength <= bytes.count {
            let head = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            let event = head.wd < 0 ? Event.any : .file(head.wd)
            if known.insert(event).inserted { events.append(event) }
            offset += headLength + Int(head.len)
        }
        return events
    }
}
#endif

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardConsole

/// Waits until something may have happened to a file: it grew, went, or came back.
///
/// A watch only says when to look at the file again. It also returns now and then without an event,
/// so that files on a file system that reports nothing (such as a network's) are followed as well.
final class FileWatch {
    private let path: String
    private let stop: StopSignal
    #if os(Linux)
    /// The inotify descriptor; negative if inotify is missing or all its instances are taken.
    private let inotify = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    #else
    private let inotify: Int32 = -1
    #endif
    /// The watches of the file that the path named last, and of earlier ones that may still be
    /// written to.
    private var fileWatches: Set<Int32> = []
    private var folderWatch: Int32 = -1

    init(path: String, stop: StopSignal) {
        self.path = path
        self.stop = stop
    }

    deinit { if inotify >= 0 { close(inotify) } }

    /// Returns when it is time to look at the file, or to stop.
    func wait() {
        // Returns at once after a watch was added: changes before that are not reported.
        if inotify >= 0, beginWatching() { return }
        var waits = [
            pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
            // `poll` ignores negative descriptors.
            pollfd(fd: inotify, events: Int16(POLLIN), revents: 0),
        ]
        poll(&waits, 2, folderWatch >= 0 ? 1000 : 100)
        if waits[1].revents != 0 { discardEvents() }
    }

    /// Removes the watches of all files. The next wait watches the file that the path then names.
    func forgetFiles() {
        #if os(Linux)
        // Closing the inotify instance would wait for the kernel for tens of milliseconds: long
        // enough to miss a file that is rotated away again.
        for watch in fileWatches { inotify_rm_watch(inotify, watch) }
        #endif
        fileWatches = []
    }

    /// Watches the file that the path names now, and the folder for a file that it may name next.
    /// Returns whether one of the two was not watched before.
    private func beginWatching() -> Bool {
        #if os(Linux)
        let changes = IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF
        let newFolder = inotify_add_watch(
            inotify, PathParts(path).folder, UInt32(changes))
        let newFile = inotify_add_watch(
            inotify, path, UInt32(IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF))
        defer { folderWatch = newFolder }
        let isNewFile = newFile >= 0 && fileWatches.insert(newFile).inserted
        return isNewFile || (newFolder >= 0 && newFolder != folderWatch)
        #else
        return false
        #endif
    }

    private func discardEvents() {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { events in
            while read(inotify, events.baseAddress, events.count) == events.count {}
        }
    }
}

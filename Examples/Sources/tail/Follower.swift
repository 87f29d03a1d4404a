// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import Switchyard
internal import SwitchyardConsole

/// A reader of one file as it grows, on a thread of its own, which posts the file's lines.
///
/// The follower follows a name. When the file with the name was renamed or removed, it reads that
/// file to its end, and goes on with the next file of the name.
final class Follower {
    private let file: FollowedFile
    private let center: NotificationCenter
    private let stop: StopSignal
    private let watch: FileWatch
    private var splitter = LineSplitter()
    private var current: OpenFile?
    /// Whether it was reported that no file has the name.
    private var saidMissing = false
    /// Whether it was reported that the file can't be read.
    private var saidUnreadable = false

    init(_ file: FollowedFile, _ center: NotificationCenter, _ stop: StopSignal) {
        self.file = file
        self.center = center
        self.stop = stop
        watch = FileWatch(path: file.name, stop: stop)
    }

    /// Follows the name until the stop signal.
    func run(from start: StartPosition) {
        file.isReadHere()
        begin(from: start)
        var isAtEnd = false
        while !stop.isRaised {
            if let current { isAtEnd = readToEnd(of: current) }
            if !stop.isRaised, !findNext() { watch.wait() }
        }
        if isAtEnd { postRest() }
        center.post(FollowingEnded(file: file))
    }

    private func begin(from start: StartPosition) {
        do {
            let opened = try OpenFile(path: file.name)
            start.apply(to: opened)
            current = opened
        } catch {
            saidMissing = true
            StandardErrorLog.tail.say("cannot open '\(file.name)' for reading: \(error)")
        }
    }

    // MARK: - Reading

    /// Posts the lines that the file has. Returns false if stopped before the end. A last line
    /// without a newline is kept until the rest of it comes, or following ends.
    private func readToEnd(of current: OpenFile) -> Bool {
        do {
            while !stop.isRaised {
                let count = try current.read(into: splitter.room())
                if count == 0 { return true }
                splitter.didRead(count)
                while let line = splitter.next() {
                    post(line)
                    if stop.isRaised { return false }
                }
            }
            return false
        } catch {
            if !saidUnreadable {
                StandardErrorLog.tail.say("error reading '\(file.name)': \(error)")
            }
            saidUnreadable = true
            return true
        }
    }

    private func post(_ line: Line) {
        file.credit.take(bytes: line.count)
        center.post(LinePosted(file: file, line: line))
    }

    private func postRest() {
        if let rest = splitter.takeRest() { post(rest) }
    }
}

// MARK: - Rotation

extension Follower {
    /// Looks for the file that the name stands for now. Returns whether there is something new to
    /// read.
    private func findNext() -> Bool {
        if let current, current.isTruncated {
            StandardErrorLog.tail.say("\(file.name): file truncated")
            postRest()
            current.seek(to: 0)
            return true
        }
        do {
            let found = try FileStatus(path: file.name)
            if found.identity == current?.status.identity {
                saidMissing = false
                return false
            }
            // The writer may not have opened the empty new file yet, and may still write to the old
            // one.
            if current != nil, found.isRegular, found.size == 0 { return false }
            try change(to: OpenFile(path: file.name))
            return true
        } catch {
            if !saidMissing {
                StandardErrorLog.tail.say("'\(file.name)' has become inaccessible: \(error)")
            }
            saidMissing = true
            return false
        }
    }

    private func change(to next: OpenFile) {
        if let current {
            // Reads the bytes that came between the last read and the new file's first line.
            if readToEnd(of: current) { postRest() }
        }
        let what = saidMissing ? "appeared" : "been replaced"
        StandardErrorLog.tail.say("'\(file.name)' has \(what);  following new file")
        (saidMissing, saidUnreadable) = (false, false)
        current = next
        watch.forgetFiles()
    }
}

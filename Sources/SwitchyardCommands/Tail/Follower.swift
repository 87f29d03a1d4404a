// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import Switchyard

/// Reads one file as it grows, on a thread of its own, and posts its lines.
///
/// What it follows is the name: when the file behind it was renamed or removed, it reads that one to
/// its end and goes on with the next of that name.
final class Follower {
    private let file: FollowedFile
    private let center: NotificationCenter
    private let stop: StopSignal
    private let watch: FileWatch
    private var splitter = LineSplitter()
    private var current: OpenFile?
    /// Whether it was said that there is nothing under the name.
    private var saidMissing = false
    /// Whether it was said that what is there can't be read.
    private var saidUnreadable = false

    init(_ file: FollowedFile, _ center: NotificationCenter, _ stop: StopSignal) {
        self.file = file
        self.center = center
        self.stop = stop
        watch = FileWatch(path: file.name, stop: stop)
    }

    /// Follows until the stop signal.
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
            Notices.tail.say("cannot open '\(file.name)' for reading: \(error)")
        }
    }

    // MARK: - Reading

    /// Posts what there is; false if it was stopped before the end. A last line without newline
    /// stays until the rest of it comes, or following ends.
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
            if !saidUnreadable { Notices.tail.say("error reading '\(file.name)': \(error)") }
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
    /// Looks for what the name stands for now; whether there is something new to read.
    private func findNext() -> Bool {
        if let current, current.isTruncated {
            Notices.tail.say("\(file.name): file truncated")
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
            // Its writer may not have opened it yet, and still write to the old one.
            if current != nil, found.isRegular, found.size == 0 { return false }
            try change(to: OpenFile(path: file.name))
            return true
        } catch {
            if !saidMissing { Notices.tail.say("'\(file.name)' has become inaccessible: \(error)") }
            saidMissing = true
            return false
        }
    }

    private func change(to next: OpenFile) {
        if let current {
            // What came between the last read and the new file's first line.
            if readToEnd(of: current) { postRest() }
        }
        let what = saidMissing ? "appeared" : "been replaced"
        Notices.tail.say("'\(file.name)' has \(what);  following new file")
        (saidMissing, saidUnreadable) = (false, false)
        current = next
        watch.forgetFiles()
    }
}

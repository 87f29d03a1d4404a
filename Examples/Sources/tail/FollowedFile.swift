// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import Synchronization
internal import ThreadNames

/// A file that is followed: the data that its reader, its lines and the summary share.
final class FollowedFile: Sendable {
    /// The path, as given on the command line.
    let name: String
    /// The path as UTF-8, for printing.
    let utf8Name: [UInt8]
    /// The limit on how far the reader may be ahead of the observer; also counts the lines.
    let credit: Credit
    private let thread = Mutex("")

    init(name: String, credit: Credit) {
        self.name = name
        utf8Name = Array(name.utf8)
        self.credit = credit
    }

    /// The name of the thread that posts the file's lines.
    var postedOn: String { thread.withLock { $0 } }

    /// Records the calling thread as the one that posts the file's lines.
    func isReadHere() {
        let name = ThreadName.current
        thread.withLock { $0 = name }
    }
}

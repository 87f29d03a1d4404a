// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import Synchronization

/// A file that is followed: what its reader, its lines and the summary share.
final class FollowedFile: Sendable {
    /// The path, as it was given.
    let name: String
    /// The same, as it is printed.
    let utf8Name: [UInt8]
    /// How far its reader may be ahead of the observer; also counts the lines.
    let credit: Credit
    private let thread = Mutex("")

    init(name: String, credit: Credit) {
        self.name = name
        utf8Name = Array(name.utf8)
        self.credit = credit
    }

    /// The name of the thread that posts its lines.
    var postedOn: String { thread.withLock { $0 } }

    /// Says that the calling thread posts its lines.
    func isReadHere() {
        let name = ThreadName.current
        thread.withLock { $0 = name }
    }
}

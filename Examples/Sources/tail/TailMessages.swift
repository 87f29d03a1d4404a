// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import Switchyard
internal import SwitchyardConsole

/// A new line of a file, posted on the thread that reads the file.
struct LinePosted: NotificationMessage {
    let file: FollowedFile
    let line: Line
}

/// The end of following a file, posted by its reader after the last line.
struct FollowingEnded: NotificationMessage {
    let file: FollowedFile
}

extension Line {
    /// The line as text, with replacement characters where it is not UTF-8.
    var text: String { withBytes { String(decoding: $0, as: UTF8.self) } }

    /// The line's bytes if it is not UTF-8; nil if ``text`` says everything.
    var dataIfNotText: Data? {
        withBytes { String(validating: $0, as: UTF8.self) == nil ? Data($0) : nil }
    }
}

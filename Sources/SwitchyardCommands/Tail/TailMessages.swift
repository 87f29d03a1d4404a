// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Switchyard

/// A new line of a file, posted on the thread that reads the file.
struct LinePosted: NotificationMessage {
    let file: FollowedFile
    let line: Line
}

/// The end of following a file, posted by its reader after the last line.
struct FollowingEnded: NotificationMessage {
    let file: FollowedFile
}

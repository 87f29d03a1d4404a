// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Switchyard

/// Posted for each line that a file got, on the thread that reads it.
struct LinePosted: NotificationMessage {
    let file: FollowedFile
    let line: Line
}

/// Posted by each reader when it has posted its last line.
struct FollowingEnded: NotificationMessage {
    let file: FollowedFile
}

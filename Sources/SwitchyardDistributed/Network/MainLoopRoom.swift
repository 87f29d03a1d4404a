// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
internal import Switchyard

/// The file descriptors that the main run loop opens when it is first asked for. Foundation stops
/// the program where it gets none.
enum MainLoopRoom {
    /// The descriptors that the loop opens with its first mode, and some for the caller's threads.
    private static let needed = 8

    /// Throws if the main run loop is still to be made, and there may be no room for it.
    static func check() throws(DistributedCenterError) {
        if MainMailbox.isMade { return }
        var opened: [Int32] = []
        defer { for descriptor in opened { close(descriptor) } }
        while opened.count < needed {
            let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
            if descriptor < 0 { throw .outOfDescriptors }
            opened.append(descriptor)
        }
    }
}

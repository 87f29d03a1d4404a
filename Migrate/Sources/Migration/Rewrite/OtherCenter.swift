// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// Centers that are not the one that moves.
enum OtherCenter {
    /// The reason for which a call on a center stays, where that is the center of `NSWorkspace`, or
    /// of Apple's `DistributedNotificationCenter` on Apple's systems.
    static func obstacle(_ center: ExprSyntax, _ work: FileWork) -> Obstacle? {
        let name = center.trimmedDescription
        let isForApple = work.file.isForApple
        switch work.resolver.type(of: center).unwrapped {
        case .workspaceCenter:
            return Obstacle(
                .otherCenter,
                isForApple
                    ? "`\(name)` is AppKit's own, on which AppKit posts; it stays Apple's"
                    : "`\(name)` does not exist on Linux, nor do its posts")
        case .distributedCenter where isForApple:
            return Obstacle(
                .otherCenter,
                "`\(name)` is that of the system and of other programs, which Switchyard's does not hear; it stays Apple's"
            )
        default: return nil
        }
    }
}

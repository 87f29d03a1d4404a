// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// Leaves publishers of Combine with Foundation's center in a file whose center becomes Switchyard's.
enum PublisherRewriter {
    static func rewrite(_ work: FileWork) {
        // A file that does nothing else with the center stays Foundation's without a change.
        guard !work.uses.switched.isEmpty else { return }
        for name in work.uses.qualified {
            let start = name.range.lowerBound
            guard work.edit([Edit(range: start..<start, text: "Foundation.")]) else { continue }
            work.report(
                .left, .combine, at: name,
                "the publisher is Combine's and stays with Foundation's center: set `NotificationCenter.default.postsToFoundation`, so that it hears what is posted on Switchyard's"
            )
        }
    }
}

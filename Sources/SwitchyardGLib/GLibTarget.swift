// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if GLib
internal import SwitchyardCore

/// A main context, at one priority, as the target of a mailbox.
final class GLibTarget: WaitableTarget {
    private let loop: GLibLoop
    private let priority: GLibContext.Priority

    init(_ loop: GLibLoop, _ priority: GLibContext.Priority) {
        self.loop = loop
        self.priority = priority
    }

    var label: String { loop.label }
    var isCurrent: Bool { loop.isCallers }
    var runsNestedLoops: Bool { true }
    var waitResources: [WaitGraph.Resource] { [loop.waitResource] }

    func wake(_ mailbox: SharedMailbox) { loop.wake(priority) }
}
#endif

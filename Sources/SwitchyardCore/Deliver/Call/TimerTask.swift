// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The task of a pace's timer, while it makes the deliveries to one observation that were put off:
/// one after the other, so that the next one waits for a handler that it has called.
struct TimerTask: Sendable {
    /// The timer that makes the delivery in which the calling code runs, or was started.
    @TaskLocal static var entered: TimerTask?

    let resource: WaitGraph.Resource
    /// Tasks that the handler starts inherit ``entered``, and this tells them apart.
    private let task: Int?

    private init(_ resource: WaitGraph.Resource) {
        self.resource = resource
        task = Self.currentTask
    }

    /// Whether the calling task is the timer's.
    var isCallers: Bool { task != nil && task == Self.currentTask }

    /// Calls `deliver` as the timer that is `resource` in the wait graph.
    static func inside(_ resource: WaitGraph.Resource, _ deliver: () -> Void) {
        $entered.withValue(TimerTask(resource), operation: deliver)
    }

    private static var currentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }
}

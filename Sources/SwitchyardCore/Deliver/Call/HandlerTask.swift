// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// One call of an async handler, for the code inside it.
final class HandlerCall: Sendable {
    let observation: Observation
    /// The task that it is in; tasks that this one starts know of the call, and are others.
    private let task: Int?
    private let isOver = Atomic<Bool>(false)

    fileprivate init(_ observation: Observation) {
        self.observation = observation
        task = Self.currentTask
    }

    fileprivate func end() { isOver.store(true, ordering: .releasing) }

    var isUnderWay: Bool { !isOver.load(ordering: .acquiring) }

    /// Whether the calling task is the one that the call waits for.
    var isCallers: Bool { isUnderWay && task != nil && task == Self.currentTask }

    private static var currentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }
}

/// The async handlers that the calling task is inside, or was started in.
enum HandlerTask {
    @TaskLocal static var entered: [HandlerCall] = []

    static func inside<Result: Sendable>(
        _ observation: Observation, _ work: @Sendable () async throws -> Result
    ) async throws -> Result {
        let call = HandlerCall(observation)
        defer { call.end() }
        return try await $entered.withValue(entered.filter(\.isUnderWay) + [call]) {
            try await work()
        }
    }

    /// The number of open claims of `observation` that are the caller's own, or that of a handler
    /// in which the calling task was started.
    static func claims(of observation: Observation) -> Int {
        entered.count { $0.observation === observation && $0.isUnderWay }
    }
}

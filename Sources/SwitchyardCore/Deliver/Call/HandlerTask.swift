// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// One call of an async handler, for the code inside it.
final class HandlerCall: Sendable {
    let observation: Observation
    /// The task that runs the call. Tasks that it starts inherit ``HandlerTask/entered``, and this
    /// tells them apart.
    private let task: Int?
    private let isOver = Atomic<Bool>(false)
    /// The number of the call as a resource that a post waits for; 0: none waits for this call
    /// alone.
    private let number = Atomic<UInt64>(0)

    fileprivate init(_ observation: Observation) {
        self.observation = observation
        task = Self.currentTask
    }

    fileprivate func end() { isOver.store(true, ordering: .releasing) }

    /// Notes that a post waits for this call alone, which has this number as a resource.
    func hold(_ number: UInt64) { self.number.store(number, ordering: .releasing) }

    /// The resources that stand still while the task of the call waits.
    var resources: [WaitGraph.Resource] {
        let number = number.load(ordering: .acquiring)
        let own = [observation.waitResource]
        return number == 0 ? own : own + [observation.resource(ofCall: number)]
    }

    var isUnderWay: Bool { !isOver.load(ordering: .acquiring) }

    /// Whether the calling task is the one that the call waits for.
    var isCallers: Bool { isUnderWay && task != nil && task == Self.currentTask }

    private static var currentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }
}

/// The async handlers that the calling task is inside, or was started in.
enum HandlerTask {
    @TaskLocal static var entered: [HandlerCall] = []

    static func inside<Result: Sendable>(
        _ observation: Observation, _ work: @Sendable () async -> Result
    ) async -> Result {
        let call = HandlerCall(observation)
        defer { call.end() }
        return await $entered.withValue(entered.filter(\.isUnderWay) + [call]) {
            await work()
        }
    }

    /// The number of open claims of `observation` that are the caller's own, or that of a handler
    /// in which the calling task was started.
    static func claims(of observation: Observation) -> Int {
        entered.count { $0.observation === observation && $0.isUnderWay }
    }
}

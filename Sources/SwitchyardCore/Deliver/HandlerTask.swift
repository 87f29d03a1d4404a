// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The async handlers that the calling task is inside.
enum HandlerTask {
    @TaskLocal static var entered: [Observation] = []

    static func inside<Result: Sendable>(
        _ observation: Observation, _ work: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await $entered.withValue(entered + [observation]) { try await work() }
    }

    /// How many of the open claims of `observation` are the caller's own.
    static func claims(of observation: Observation) -> Int {
        entered.count { $0 === observation }
    }
}

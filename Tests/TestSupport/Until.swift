// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Testing

/// The time that a test waits before it fails. A loaded machine may need it: other tests take up
/// the pool's threads.
package let patience = Duration.seconds(240)

/// Asks again and again until the condition holds, for conditions that are not reported. Blocks no
/// thread. The test fails if it has waited for as long as tests do.
///
/// - Returns: false if the time was over before.
@discardableResult
package func until(
    within limit: Duration = patience, isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool
) async rethrows -> Bool {
    let end = ContinuousClock.now + limit
    while try await !condition() {
        if ContinuousClock.now > end {
            // A caller with a limit of its own judges for itself.
            if limit == patience {
                Issue.record("a condition did not hold in time")
            }
            return false
        }
        await Task.yield()
    }
    return true
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import SwitchyardCore

/// Runs a body that blocks on a thread of its own, since the task pool has few threads, and
/// suspends until it has ended.
package func onOwnThread<Result: Sendable, Failure: Error>(
    _ name: String = "test", _ body: @escaping @Sendable () throws(Failure) -> Result
) async throws(Failure) -> Result {
    let result = await withCheckedContinuation { ended in
        let thread = Thread {
            ThreadName.current = name
            ended.resume(returning: Swift.Result(catching: body))
        }
        thread.start()
    }
    return try result.get()
}

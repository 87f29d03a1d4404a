// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CSwitchyard
internal import Foundation
internal import SwitchyardCore

/// A thread for work that blocks: connecting, requests to JetStream, waits for the server.
///
/// Dispatch's pool has as many threads as the machine has cores. Blocking work there delays
/// everything else that the program gives to the pool, and also itself: where several centers lose
/// their server at once, some would try again only after others have succeeded.
enum BlockingThread {
    /// Runs `body` on a thread of its own.
    ///
    /// - Parameter name: the thread's name in debuggers; at most 15 bytes.
    static func run(_ name: String, _ body: @escaping @Sendable () -> Void) {
        let thread = Thread {
            ThreadName.current = name
            switchyard_block_signals()
            body()
        }
        thread.stackSize = 512 * 1024
        thread.start()
    }
}
#endif

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import Foundation
internal import SwitchyardDistributed

/// A thread for work that blocks: connecting, requests to JetStream, waits for the server.
///
/// Dispatch's pool has as many threads as the machine has cores. Blocking work there delays
/// everything else that the program gives to the pool, and also itself: where several centers lose
/// their server at once, some would try again only after others have succeeded.
enum BlockingThread {
    /// Runs `body` on a thread of its own. If the system can't start one, `body` runs on Dispatch's
    /// pool after all: delayed, but somebody waits for it.
    ///
    /// - Parameter name: the thread's name in debuggers; at most 15 bytes.
    static func run(_ name: String, _ body: @escaping @Sendable () -> Void) {
        do {
            try start(name, body)
        } catch {
            DispatchQueue.global().async(execute: body)
        }
    }

    /// Runs `body`, which may take for ever, on a thread of its own.
    ///
    /// - Parameter name: the thread's name in debuggers; at most 15 bytes.
    /// - Throws: ``NATSError`` when the system can't start a thread.
    static func start(_ name: String, _ body: @escaping @Sendable () -> Void) throws {
        do {
            try SystemThread.start(name, body)
        } catch {
            throw NATSError("\(error)")
        }
    }
}
#endif

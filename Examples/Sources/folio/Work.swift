// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// Work that a real editor would do.
enum Work {
    /// Keeps the calling thread for this time. It sleeps, so that the machine stays free.
    static func takes(milliseconds: UInt32) { usleep(milliseconds * 1000) }

    /// Calls `body` again and again on the main run loop.
    @MainActor
    static func repeats(
        everySeconds interval: Double, _ body: @escaping @MainActor @Sendable () -> Void
    ) {
        _ = Timer.scheduledTimer(withTimeInterval: interval, repeats: true) { _ in
            MainActor.assumeIsolated(body)
        }
    }
}

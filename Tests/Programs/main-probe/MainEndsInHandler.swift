// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard

/// A handler that calls `dispatchMain()`, which ends the main thread inside of it. The main context
/// goes on.
enum MainEndsInHandler {
    private struct Ping: NotificationMessage { var number: Int }

    /// Under `dispatchMain()`, the main thread waits for signals, in `rt_sigsuspend`, for as long
    /// as the process lives.
    private static var mainThreadHasEnded: Bool {
        let call = try? String(
            contentsOfFile: "/proc/self/task/\(getpid())/syscall", encoding: .utf8)
        return call?.hasPrefix("\(sigsuspendNumber) ") ?? true
    }

    #if arch(x86_64)
    private static let sigsuspendNumber = 130
    #else
    private static let sigsuspendNumber = 133
    #endif

    /// Exits with status 0 when later posts were heard, of another thread and, inline, of the main
    /// queue; and with 1 when the context went deaf.
    ///
    /// - Parameter isInline: whether the handler is called inline, or by the main run loop.
    static func run(isInline: Bool) {
        let center = MessageCenter()
        let token = center.observe(Ping.self, on: .main) { ping in
            print("heard \(ping.number)")
            if ping.number == 1 {
                DispatchQueue.main.async {
                    center.post(Ping(number: 2))
                    print("posted")
                    exit(0)
                }
            }
            if ping.number != 0 { return }
            Thread.detachNewThread {
                while !mainThreadHasEnded { usleep(1_000) }
                center.post(Ping(number: 1))
            }
            dispatchMain()
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + 60) { exit(1) }
        withExtendedLifetime(token) {
            if isInline { center.post(Ping(number: 0)) }
            Thread.detachNewThread { center.post(Ping(number: 0)) }
            RunLoop.main.run()
        }
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard

/// Threads that come with ports, hear something and go, leaving the ports to their end.
enum PortChurn {
    private final class Receiver: PortDelegate {
        var heard = 0
        func handle(_ message: PortMessage) { heard += 1 }
    }

    nonisolated(unsafe) private static weak var last: ThreadPort?  // Touched by main alone.

    static func run(count: Int) {
        Switchyard.NotificationCenter.default.onProblem { _ in }
        for _ in 0..<count / 4 { round() }
        let before = ThreadChurn.Held()
        for _ in 0..<count { round() }
        print(before)
        print(ThreadChurn.Held(settledLike: before))
        print(last == nil ? 0 : 1)
        print(ThreadChurn.isSanitized ? "sanitized" : "plain")
        exit(0)
    }

    /// A thread that hears one message through its port, and ends with the port still on its loop
    /// and messages waiting in it, one of them from itself.
    private static func round() {
        let port = ThreadPort()
        last = port
        let ready = DispatchSemaphore(value: 0)
        let thread = Thread {
            let receiver = Receiver()
            port.setDelegate(receiver)
            RunLoop.current.add(port, forMode: .default)
            RunLoop.current.add(port, forMode: .common)
            ready.signal()
            while receiver.heard == 0 {
                _ = RunLoop.current.run(mode: .default, before: .distantFuture)
            }
            try? port.send(components: [Data(count: 100)], replyTo: port)
        }
        thread.start()
        ready.wait()
        try? port.send(components: [Data(count: 1)])
        while port.isValid || !thread.isFinished { sched_yield() }
    }
}

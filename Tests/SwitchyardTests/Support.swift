// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard
import Synchronization
import TestSupport

/// Runs `body` on a thread of its own and waits for it, four minutes at most.
func onThread(_ name: String = "test", _ body: @escaping @Sendable () -> Void) {
    let done = Gate()
    let thread = Thread {
        ThreadName.current = name
        body()
        done.open()
    }
    thread.start()
    done.wait()
}

extension Notification.Name {
    static let happened = Notification.Name("happened")
    static let other = Notification.Name("other")
}

/// A message about an object, or nothing.
struct Ping: NotificationMessage {
    typealias Subject = NSObject
    var number = 0
}

/// The name of the thread that runs this.
var threadName: String { ThreadName.current }

/// The problems that the default center reports, for tests that run beside each other and share its
/// hook.
enum DefaultProblems {
    private typealias Listener = @Sendable (DeliveryProblem) -> Void
    private static let listeners = Guarded<[UInt64: Listener]>([:])
    private static let last = Atomic<UInt64>(0)
    private static let hook: Void = Switchyard.NotificationCenter.default.onProblem { problem in
        for hear in listeners.withLock({ Array($0.values) }) { hear(problem) }
    }

    /// Has `hear` told of problems while `body` runs.
    static func hear(
        _ hear: @escaping @Sendable (DeliveryProblem) -> Void, while body: () throws -> Void
    ) rethrows {
        _ = hook
        let number = last.wrappingAdd(1, ordering: .relaxed).newValue
        listeners.withLock { $0[number] = hear }
        defer { listeners.withLock { $0[number] = nil } }
        try body()
    }
}

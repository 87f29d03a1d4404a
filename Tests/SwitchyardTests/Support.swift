// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard
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

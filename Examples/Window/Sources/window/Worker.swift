// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import SwitchyardCore

/// A thread that works, and posts how far it is. It knows nothing of windows, nor of GLib.
enum Worker {
    /// - Parameter pause: the time that a step takes, in seconds.
    static func start(posting center: MessageCenter, pause: TimeInterval) {
        let thread = Thread {
            for number in 1...10 {
                Thread.sleep(forTimeInterval: pause)
                center.post(StepDone(number: number, count: 10))
            }
        }
        thread.name = "worker"
        thread.start()
    }
}

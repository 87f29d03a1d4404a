// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard

/// A handler on main runs the main run loop inside itself, from a block of the main queue.
enum NestedLoop {
    nonisolated(unsafe) static var token: Switchyard.NotificationCenter.ObservationToken?

    static func run() {
        let center = Switchyard.NotificationCenter()
        let name = Notification.Name("probe")
        let posted = DispatchSemaphore(value: 0)
        MainActor.assumeIsolated {
            var order: [Int] = []
            token = center.observe(name, on: .main) { note in
                let number = note.userInfo?["number"] as? Int ?? -1
                order.append(number)
                print("begin \(number)")
                if number == 0 {
                    posted.wait()
                    Thread.detachNewThread {
                        center.post(name: name, object: nil, userInfo: ["number": 3])
                    }
                    while order.count < 4 {
                        let soon = Date(timeIntervalSinceNow: 1)
                        if !RunLoop.main.run(mode: .default, before: soon) { break }
                        if Date() > soon { break }
                    }
                }
                print("end \(number)")
                if number == 0 { exit(0) }
            }
        }
        Thread.detachNewThread {
            for number in 0..<3 {
                center.post(name: name, object: nil, userInfo: ["number": number])
            }
            posted.signal()
        }
        RunLoop.main.run()
    }
}

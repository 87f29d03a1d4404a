// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard

/// Posts from a background thread to observers on main, one after the other, then from main itself.
enum MainDelivery {
    static let name = Notification.Name("probe")
    nonisolated(unsafe) static var tokens: [Switchyard.NotificationCenter.ObservationToken] = []

    static let heardOne = DispatchSemaphore(value: 0)

    static func start(_ runMain: () -> Void) {
        let center = Switchyard.NotificationCenter()
        MainActor.assumeIsolated { observe(center) }
        let thread = Thread {
            // The second is posted when main has heard the first and goes back to sleep.
            for number in 0..<2 {
                center.post(name: name, object: nil, userInfo: ["number": number])
                heardOne.wait()
            }
            center.post(name: Notification.Name("end"), object: nil)
        }
        thread.start()
        runMain()
    }

    @MainActor private static func observe(_ center: Switchyard.NotificationCenter) {
        var heard = 0
        tokens.append(
            center.observe(name, on: .main) { note in
                MainActor.assertIsolated()
                heard += 1
                print("heard \(note.userInfo?["number"] ?? "-")")
                heardOne.signal()
            })
        tokens.append(
            center.observe(Notification.Name("end"), on: .main) { [unowned center] _ in
                print("before")
                let receipt = center.postAndReport(
                    name: name, object: nil, userInfo: ["number": "from main"])
                // A post inside a handler of main's mailbox is delivered behind the handler, not
                // within it.
                print("queued \(receipt.queued)")
                DispatchQueue.main.async {
                    print("heard \(heard) in all")
                    let inline = center.postAndReport(
                        name: name, object: nil, userInfo: ["number": "inline"])
                    print("inline \(inline.delivered)")
                    exit(0)
                }
            })
    }
}

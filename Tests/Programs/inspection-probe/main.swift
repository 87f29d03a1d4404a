// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// A program that can be inspected: a worker that hears one name, one handler of the posting thread
// that is busy for three milliseconds of every four, and an observer of an object that has died.
// With the name of a domain as its argument, it also posts to the processes of that domain, and
// hears what they post.
import Foundation
import Switchyard
import SwitchyardDistributed
import SwitchyardInspection

import class Switchyard.NotificationCenter

extension Notification.Name {
    static let tick = Notification.Name("Tick")
    static let other = Notification.Name("Other")
}

/// Keeps the thread busy, as work would.
func work(milliseconds: Int) {
    let end = ContinuousClock.now + .milliseconds(milliseconds)
    while ContinuousClock.now < end {}
}

Inspection.listen()
// A second call changes nothing, and does not wait for a tool.
Inspection.listen()
let center = NotificationCenter()
let worker = DeliveryThread(name: "worker")
let tokens = [
    center.observe(.tick) { _ in work(milliseconds: 3) },
    center.observe(.tick, on: .thread(worker)) { _ in },
    center.observe(.other, of: "x", on: .thread(worker)) { _ in },
    center.observe(.other, of: NSObject()) { _ in },
]
let domain = try CommandLine.arguments.dropFirst().first.map {
    try DistributedNotificationCenter(domain: $0)
}
let domainToken = domain?.observe(.tick, on: .thread(worker)) { _ in }
_ = domain?.blockUntilReady(within: .seconds(60))
print("ready")
fflush(nil)
while readLine() != nil {
    for _ in 0..<100 {
        center.post(name: .tick, object: nil)
        domain?.post(name: .tick, object: nil)
        usleep(1000)
    }
    print("posted")
    fflush(nil)
}
withExtendedLifetime((tokens, domainToken)) {}

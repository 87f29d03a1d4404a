// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// error: mutation of captured var 'counter'
// Rule 21: a closure in a method's place runs on another thread.
import Switchyard

final class Observer: Sendable {}
struct Ping: NotificationMessage {}

func run(_ center: Switchyard.NotificationCenter, _ observer: Observer, _ worker: DeliveryThread) {
    var counter = 0
    center.observe(Ping.self, with: observer, { _ in { _ in counter += 1 } }, on: .thread(worker))
    counter += 1
}

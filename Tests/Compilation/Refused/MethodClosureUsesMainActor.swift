// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// error: main actor-isolated property 'count' can not be mutated
// Rule 21: a closure in a method's place does not keep the main actor.
import Switchyard

final class Observer: Sendable {}
@MainActor final class Model {
    var count = 0
    func watch(_ center: Switchyard.NotificationCenter, _ worker: DeliveryThread) {
        let observer = Observer()
        center.observe(
            Notification.Name("n"), with: observer,
            { _ in { (_: Notification) in self.count += 1 } },
            on: .thread(worker))
    }
}

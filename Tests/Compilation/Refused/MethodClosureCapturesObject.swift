// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// error: capture of 'box' with non-Sendable type 'Box'
// Rule 21: nothing that is not Sendable crosses a thread in a method's place.
import Switchyard

final class Observer: Sendable {}
final class Box { var value = 0 }

func run(_ center: Switchyard.NotificationCenter, _ observer: Observer) {
    let box = Box()
    center.addObserver(
        observer, selector: { _ in { (_: Notification) in box.value += 1 } },
        name: Notification.Name("n"), object: nil)
}

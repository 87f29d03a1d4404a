// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// swift: 6
// warning: a method of the main actor is called there
// Rule 21: a main-actor method runs on the main actor with `.thisThread` too, and the compiler says so.
import Switchyard

struct Ping: NotificationMessage {}
@MainActor final class Panel {
    nonisolated init() {}
    func pinged(_ ping: Ping) {}
    func moved(_ note: Notification) {}
}
func watch(_ center: Switchyard.NotificationCenter) {
    let panel = Panel()
    center.observe(Ping.self, with: panel, Panel.pinged, on: .thisThread)
    center.observe(nil, with: panel, Panel.moved, on: .thisThread)
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// swift: 6
// warning: a method of the main actor is called there
// Rule 21: a main-actor method runs on the main actor with every context, and the compiler says so.
import SwitchyardCore

struct Ping: NotificationMessage {}
@MainActor final class Panel {
    func pinged(_ ping: Ping) {}
    func watch(_ center: MessageCenter) {
        center.observe(Ping.self, with: self, Panel.pinged, on: .poster)
    }
}

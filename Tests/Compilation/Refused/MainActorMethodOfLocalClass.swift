// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// error: risks causing data races
// A main-actor method of an object that can't go to the main actor, because it is not `Sendable`.
import Switchyard

struct Ping: NotificationMessage {}
final class Panel {
    @MainActor func pinged(_ ping: Ping) {}
    func watch(_ center: MessageCenter) {
        center.observe(Ping.self, with: self, Panel.pinged, on: .thisThread)
    }
}

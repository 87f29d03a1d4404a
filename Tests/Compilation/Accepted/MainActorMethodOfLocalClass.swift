// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// swift: 5
// A main-actor method of a class that is not `Sendable`, which stays on its thread: Swift 6 refuses it.
import Switchyard

struct Ping: NotificationMessage {}
final class Panel {
    @MainActor func pinged(_ ping: Ping) {}
    @MainActor func moved(_ note: Notification) {}
    @MainActor func resized(_ note: NSNotification) {}
    @MainActor func nothing() {}
    func touched() {}
    func watch(_ center: Switchyard.NotificationCenter) {
        center.observe(Ping.self, with: self, Panel.pinged, on: .thisThread)
        center.observe(nil, with: self, Panel.moved, on: .thisThread)
        center.observe(nil, with: self, Panel.resized, on: .thisThread)
        center.observe(nil, with: self, Panel.nothing, on: .thisThread)
        center.observe(nil, with: self, Panel.touched, on: .thisThread)
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// swift: 6
// Methods of every form, of Sendable classes and of the main actor's.
import Switchyard

final class Controller: NSObject, Sendable {
    func nothing() {}
    func moved(_ note: Notification) {}
    func resized(_ note: NSNotification) {}
    func counted(_ note: Notification) throws {}
    func watch(_ center: Switchyard.NotificationCenter, _ worker: DeliveryThread) {
        center.observe(Notification.Name("n"), with: self, Controller.nothing, on: .thread(worker))
        center.observe(Notification.Name("n"), of: self, with: self, Controller.moved)
        center.observe(nil, with: self, Controller.resized, on: .main)
        center.observe(nil, with: self, Controller.counted)
        center.addObserver(self, selector: Controller.nothing, name: nil, object: nil)
        center.addObserver(self, selector: Controller.resized, name: nil, object: self)
    }
}
@MainActor final class Panel {
    func nothing() {}
    func moved(_ note: Notification) {}
    private func resized(_ note: NSNotification) {}
    nonisolated func counted(_ note: Notification) {}
    func watch(_ center: Switchyard.NotificationCenter, _ worker: DeliveryThread) {
        center.observe(Notification.Name("n"), with: self, Panel.nothing)
        center.observe(Notification.Name("n"), with: self, Panel.moved, on: .main)
        center.observe(Notification.Name("n"), with: self, Panel.resized)
        center.observe(Notification.Name("n"), with: self, Panel.counted, on: .thread(worker))
        center.addObserver(self, selector: Panel.moved, name: nil, object: nil)
    }
}
final class Local {
    func moved(_ note: Notification) {}
    func watch(_ center: Switchyard.NotificationCenter) {
        center.observe(Notification.Name("n"), with: self, Local.moved, on: .thisThread)
    }
}
/// A class with two methods of one name. The method with a parameter is meant.
final class Twins: Sendable {
    func moved() {}
    func moved(_ note: Notification) {}
    func watch(_ center: Switchyard.NotificationCenter) {
        center.observe(Notification.Name("n"), with: self, Twins.moved)
        center.observe(
            Notification.Name("n"), with: self, Twins.moved as @Sendable (Twins) -> () -> Void)
        center.addObserver(self, selector: Twins.moved, name: nil, object: nil)
    }
}

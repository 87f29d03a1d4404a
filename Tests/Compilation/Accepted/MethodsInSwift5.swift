// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// swift: 5
// Methods of classes that are not Sendable compile without a warning in the Swift 5 language mode.
import Switchyard

class Controller: NSObject {
    func nothing() {}
    func moved(_ note: Notification) {}
    private func resized(_ note: NSNotification) {}
    func watch(_ center: Switchyard.NotificationCenter, _ worker: DeliveryThread) {
        center.observe(Notification.Name("n"), with: self, Controller.nothing)
        center.observe(Notification.Name("n"), of: self, with: self, Controller.moved)
        center.observe(nil, with: self, Controller.moved, on: .thread(worker))
        center.observe(Notification.Name("n"), with: self, Controller.resized, on: .main)
        center.observe(Notification.Name("n"), with: self, Controller.moved, on: .thisThread)
        center.addObserver(
            self, selector: Controller.nothing, name: Notification.Name("n"), object: nil)
        center.addObserver(self, selector: Controller.moved, name: nil, object: self)
        center.addObserver(self, selector: Controller.resized, name: nil, object: nil)
    }
    deinit {
        Switchyard.NotificationCenter.default.removeObserver(self)
        Switchyard.NotificationCenter.default.removeObserver(
            self, name: Notification.Name("n"), object: nil)
    }
}
@MainActor class Panel {
    func moved(_ note: Notification) {}
    func watch(_ center: Switchyard.NotificationCenter) {
        center.observe(Notification.Name("n"), with: self, Panel.moved)
        center.observe(Notification.Name("n"), with: self, Panel.moved, on: .main)
    }
}

import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

final class Model: NSObject {
    func start() {
        NotificationCenter.observe(self, { (observer: Model) in { _ in observer.saved() } }, text: "a")
        NotificationCenter.observe(self, Model.loaded, text: "b")
    }

    private func saved() {}
    private func loaded(_ note: Notification) {}
}

@MainActor final class Screen: NSObject {
    func start() {
        NotificationCenter.observe(self, { (observer: Screen) in { @MainActor _ in observer.shown() } }, text: "a")
        NotificationCenter.observe(self, Screen.moved, text: "b")
        NotificationCenter.observe(self, { (observer: Screen) in { @MainActor notification in _ = observer.sized(note: notification) } }, text: "b")
        NotificationCenter.observe(self, { (observer: Screen) in { @MainActor notification in observer.turned(notification) } }, text: "b")
    }

    private func shown() {}
    private func moved(_ note: Notification) {}
    private func sized(note: Any) -> Bool { true }
    private func turned(_ note: Notification) {}
    private func turned(_ count: Int) {}
}

import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

final class Reader: NSObject, Sendable {
    func start() {
        NotificationCenter.default.observe(self, { (observer: Reader) in { _ in observer.read() } }, text: "a")
        NotificationCenter.default.observe(self, Reader.closed, text: "a")
    }

    private func read() {}
    private func closed(_ note: Notification) {}
}

@MainActor final class Screen: NSObject {
    func start() {
        NotificationCenter.addObserver(self, selector: Screen.moved, name: .init("a"))
    }

    private func moved(_ note: NSNotification) {}
}

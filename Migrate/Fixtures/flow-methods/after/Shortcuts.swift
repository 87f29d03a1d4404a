import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

final class Shortcuts: NSObject, Sendable {
    func start() { listenToAll(method: Shortcuts.pressed) }
    func restart() { self.listenToAll(method: Shortcuts.pressed) }

    private func listenToAll(method: @escaping (Shortcuts) -> (Notification) -> Void) {
        for number in 0..<3 { listen(to: number, method: method) }
    }

    private func listen(to number: Int, method: @escaping (Shortcuts) -> (Notification) -> Void) {
        NotificationCenter.default.addObserver(self, selector: method, name: .init("\(number)"), object: nil)
        NotificationCenter.default.addObserver(self, selector: method, name: .init("-\(number)"), object: nil)
    }

    func also() { observe(.init("all"), Shortcuts.released) }
    func observe(_ name: Notification.Name, _ method: @escaping (Shortcuts) -> (Notification) -> Void) {
        NotificationCenter.default.addObserver(self, selector: method, name: name, object: nil)
    }

    private func pressed(_ note: Notification) {}
    private func released(_ note: Notification) {}
}

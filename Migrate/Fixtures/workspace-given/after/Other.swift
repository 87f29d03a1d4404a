import AppKit
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

final class Other: NSObject {
    func start() {
        NotificationCenter.default.addObserver(self, selector: Other.moved, name: .init("changed"), object: nil)
        NSWorkspace.shared.notificationCenter.addObserver(self, selector: #selector(moved), name: NSWorkspace.didWakeNotification, object: nil)
    }

    @objc private func moved() {}
}

import AppKit

final class Other: NSObject {
    func start() {
        NotificationCenter.default.addObserver(self, selector: #selector(moved), name: .init("changed"), object: nil)
        NSWorkspace.shared.notificationCenter.addObserver(self, selector: #selector(moved), name: NSWorkspace.didWakeNotification, object: nil)
    }

    @objc private func moved() {}
}

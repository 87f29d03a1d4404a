import AppKit

final class Session: NSObject {
    private let center: NotificationCenter
    private let workspace: NotificationCenter

    init(center: NotificationCenter = .default, workspace: NotificationCenter = NSWorkspace.shared.notificationCenter) {
        self.center = center
        self.workspace = workspace
    }

    func start() {
        center.addObserver(self, selector: #selector(changed), name: .init("changed"), object: nil)
        workspace.addObserver(self, selector: #selector(changed), name: NSWorkspace.didWakeNotification, object: nil)
    }

    @objc private func changed() {}
}

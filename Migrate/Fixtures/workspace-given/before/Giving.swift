import AppKit

final class Listener: NSObject {
    init(to center: NotificationCenter) {
        super.init()
        center.addObserver(self, selector: #selector(heard), name: nil, object: nil)
    }
    @objc private func heard() {}
}
let listener = Listener(to: NSWorkspace.shared.notificationCenter)
let other = Listener(to: DistributedNotificationCenter.default())

import AppKit

final class Sleeper: NSObject {
    func watch(_ center: NotificationCenter) {
        NSWorkspace.shared.notificationCenter.addObserver(
            self, selector: #selector(slept), name: NSWorkspace.willSleepNotification, object: nil)
        DistributedNotificationCenter.default().addObserver(
            self, selector: #selector(slept), name: Notification.Name("asleep"), object: nil)
        center.addObserver(self, selector: #selector(slept), name: .NSProcessInfoPowerStateDidChange, object: nil)
    }

    @objc func slept() {}
}

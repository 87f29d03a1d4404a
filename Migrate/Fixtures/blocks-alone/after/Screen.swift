import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

func watch(_ body: () -> Void) { body() }

final class Screen: NSObject {
    func start() {
        do {
            NotificationCenter.default.observe(.init("close"), with: self, Screen.close)
        }
        watch {
            _ = NotificationCenter.default.observe(nil, with: self, Screen.close)
        }
    }

    private func close(_ note: Notification) {}
}

import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

final class Detail: Screen {
    func start() {
        NotificationCenter.default.observeBoth(
            target: self, show: Detail.shown, hide: Screen.hidden)
        Screen.listen(self, Screen.moved)
        listen(show: Detail.shown, hide: Screen.hidden)
    }

    private func shown(_ note: Notification) {}
}

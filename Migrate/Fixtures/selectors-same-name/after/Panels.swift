import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

class Panel: NSObject {
    @objc func refresh(_ notification: Notification) {}
    @objc(redraw) func draw() {}
}

final class Sidebar: NSObject {
    func start() {
        NotificationCenter.default.addObserver(
            self, selector: Sidebar.refresh, name: .init("changed"), object: nil)
    }

    func refresh(_ notification: Notification) {}
}

import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

enum Terminal {
    struct Notification {}
}

extension Terminal {
    final class Surface {
        func start() {
            NotificationCenter.default.addObserver(self, selector: Terminal.Surface.bell, name: .init("bell"), object: nil)
            NotificationCenter.default.addObserver(self, selector: Terminal.Surface.read, name: .init("read"), object: self)
            NotificationCenter.default.observe(.init("closed"), with: self, { observer in { (notification: Foundation.Notification) in _ = observer.closed(notification) } })
            NotificationCenter.default.addObserver(
                self, selector: Terminal.Surface.moved as (Terminal.Surface) -> (Foundation.Notification) -> Void, name: .init("moved"), object: nil)
        }

        func bell(_ notification: Foundation.Notification) {}
        func read(_ notification: Foundation.NSNotification) {}
        func closed(_ notification: Foundation.Notification) -> Bool { true }
        func moved(_ notification: Foundation.Notification) {}
        func moved(_ notification: Notification) {}
    }
}

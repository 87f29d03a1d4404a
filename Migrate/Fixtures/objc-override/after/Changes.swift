import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

class Base: NSObject {
    func start() {
        let center = NotificationCenter.default
        center.addObserver(self, selector: Base.changed, name: nil, object: nil)
        center.addObserver(self, selector: Base.closed, name: nil, object: nil)
    }
    @objc func changed(_ note: Notification) {}
    func closed(_ note: Notification) {}
}

class Sub: Base {
    override func closed(_ note: Notification) {}
}

extension Sub {
    @objc override func changed(_ note: Notification) {}
}

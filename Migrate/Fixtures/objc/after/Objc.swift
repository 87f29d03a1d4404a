import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

@objc protocol Listening { func heard(_ note: Notification) }

public class Published: NSObject, Listening {
    func start() {
        let center = NotificationCenter.default
        center.addObserver(self, selector: Published.shared, name: nil, object: nil)
        center.addObserver(self, selector: Published.used, name: nil, object: nil)
        center.addObserver(self, selector: Published.heard, name: nil, object: nil)
        center.addObserver(self, selector: Published.spelled, name: nil, object: nil)
        center.addObserver(self, selector: Published.named, name: nil, object: nil)
        center.addObserver(self, selector: Published.live, name: nil, object: nil)
        center.addObserver(self, selector: Published.alone, name: nil, object: nil)
        perform(#selector(used))
        perform(Selector(("spelled:")))
    }
    @objc public func shared() {}
    @objc func used() {}
    @objc func heard(_ note: Notification) {}
    @objc func spelled(_ note: Notification) {}
    @objc(other) func named() {}
    @objc dynamic func live() {}
    func alone() {}
}

import Foundation
import OutsideModule
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

final class Bus {
    func addObserver(_ observer: Any, selector: Selector, name: String?, object: Any?) {}
}

final class NotSendable: NSObject {
    func start() {
        NotificationCenter.default.addObserver(self, selector: #selector(changed), name: .init("a"), object: nil)
    }
    @objc func changed() {}
}

@globalActor actor DiskActor { static let shared = DiskActor() }

@DiskActor final class Disk {
    func start() {
        NotificationCenter.default.addObserver(self, selector: #selector(changed), name: .init("a"), object: nil)
    }
    @objc func changed() {}
}

@MainActor final class Left: OutsideClass {
    let bus = Bus()
    let name = Selector("changed:")
    func start(_ selector: Selector, _ thing: OutsideThing) {
        bus.addObserver(self, selector: #selector(changed(_:)), name: nil, object: nil)
        thing.addObserver(self, selector: #selector(changed(_:)), name: nil, object: nil)
        NotificationCenter.default.addObserver(self, selector: Selector("missing:"), name: nil, object: nil)
        NotificationCenter.default.addObserver(self, selector: NSSelectorFromString("missing:"), name: nil, object: nil)
        NotificationCenter.default.addObserver(self, selector: selector, name: nil, object: nil)
        NotificationCenter.default.addObserver(self, selector: name, name: nil, object: nil)
        NotificationCenter.default.addObserver(self, selector: #selector(outside), name: nil, object: nil)
        NotificationCenter.default.observe(nil, with: self, { observer in { @MainActor (notification: Notification) in observer.any(notification) } })
        NotificationCenter.default.addObserver(self, selector: #selector(fails), name: nil, object: nil)
        NotificationCenter.default.addObserver(self, selector: #selector(two(_:_:)), name: nil, object: nil)
        NotificationCenter.default.addObserver(self, selector: #selector(getter: value), name: nil, object: nil)
        NotificationCenter.default.addObserver(thing, selector: #selector(changed(_:)), name: nil, object: nil)
        NotificationCenter.default.addObserver(Left.self, selector: #selector(Left.ofClass), name: nil, object: nil)
        NotificationCenter.default.addObserver(
            self, selector: #selector(changed(_:)), name: UIApplication.didBecomeActiveNotification, object: nil)
        Foundation.NotificationCenter.default.addObserver(self, selector: #selector(changed(_:)), name: nil, object: nil)
        NSWorkspace.shared.notificationCenter.addObserver(self, selector: #selector(changed(_:)), name: nil, object: nil)
        let later = { [weak self] in
            NotificationCenter.default.addObserver(self, selector: #selector(Left.changed), name: nil, object: nil)
        }
        later()
        CFNotificationCenterPostNotification(CFNotificationCenterGetDarwinNotifyCenter(), name, nil, nil, true)
        Timer.scheduledTimer(timeInterval: 1, target: self, selector: #selector(tick), userInfo: nil, repeats: true)
    }
    @objc func changed(_ note: Notification) {}
    func any(_ sender: Any?) {}
    @objc func fails() throws {}
    @objc func two(_ note: Notification, _ other: Int) {}
    @objc var value: Int { 1 }
    @objc static func ofClass() {}
    @objc func tick() {}
}

import Foundation

class Base: NSObject {
    func start() {
        let center = NotificationCenter.default
        center.addObserver(self, selector: #selector(changed(_:)), name: nil, object: nil)
        center.addObserver(self, selector: #selector(closed(_:)), name: nil, object: nil)
    }
    @objc func changed(_ note: Notification) {}
    @objc func closed(_ note: Notification) {}
}

class Sub: Base {
    @objc override func closed(_ note: Notification) {}
}

extension Sub {
    @objc override func changed(_ note: Notification) {}
}

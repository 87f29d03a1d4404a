import Foundation

final class Screen: NSObject {
    func start(_ given: Selector) {
        let center = NotificationCenter.default
        center.observeOpenly(self, #selector(plain), .init("a"))
        center.observeBoth(self, #selector(counted(_:)), .init("a"))
        center.observeBoth(self, #selector(told(_:)), .init("b"))
        center.observeUnknown(self, #selector(plain), .init("a"))
        center.observeUnknown(self, given, .init("b"))
    }

    @objc func plain() {}
    @objc func told(_ note: Notification) {}
    @objc func counted(_ count: Int) {}
}

import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

private typealias Center = NotificationCenter

struct Services {
    var center: NotificationCenter = .default
    static let live = Services()
}

extension NotificationCenter {
    static let app = NotificationCenter()
}

class CountingCenter: NotificationCenter, @unchecked Sendable {}

@MainActor final class Screen: NSObject {
    let services = Services()
    let counting = CountingCenter()
    var replaced: NotificationCenter?
    var late: NotificationCenter!

    func makeCenter() -> NotificationCenter { .default }

    func start(with other: Screen?) {
        Center.default.observe(.init("shown"), with: self, Screen.shown, on: .main)
        services.center.observe(.init("shown"), with: self, Screen.shown, on: .main)
        Services.live.center.observe(.init("shown"), with: self, Screen.shown, on: .main)
        NotificationCenter.app.observe(.init("shown"), with: self, Screen.shown, on: .main)
        counting.observe(.init("shown"), with: self, Screen.shown, on: .main)
        replaced?.observe(.init("shown"), with: self, Screen.shown, on: .main)
        late.observe(.init("shown"), with: self, Screen.shown, on: .main)
        makeCenter().observe(.init("shown"), with: self, Screen.shown, on: .main)
        if let other, let center = other.replaced {
            center.observe(.init("shown"), of: other, with: other, Screen.shown, on: .main)
        }
        let lock = NSLock()
        lock.withLock {
            _ = NotificationCenter.default.observe(.init("shown"), with: self, Screen.shown, on: .main)
        }
    }

    func shown() {}
}

import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

@MainActor final class Store {
    private let center = NotificationCenter.default

    func start() {
        center.addObserver(self, selector: Store.saved, name: Notification.Name("saved"), object: nil)
        center.addObserver(self, selector: Store.loaded, name: Notification.Name("loaded"), object: nil)
        center.observe(Notification.Name("loaded"), with: self, { observer in { @MainActor (notification: Notification) in _ = observer.result(notification) } })
        center.addObserver(self, selector: Store.both as @Sendable (Store) -> @MainActor () -> Void, name: Notification.Name("loaded"), object: nil)
    }

    func saved() {}
    func loaded(_ note: Notification) {}
    func result(_ note: Notification) -> Bool { true }
    func both() {}
    func both(_ note: Notification) {}
}

final class Log: @unchecked Sendable {
    func start() {
        NotificationCenter.default.addObserver(self, selector: Log.saved, name: Notification.Name("saved"), object: nil)
        NotificationCenter.default.observe(Notification.Name("saved"), with: self, { observer in { () in _ = observer.count() } })
    }
    func saved(_ note: NSNotification) {}
    func count() -> Int { 0 }
}

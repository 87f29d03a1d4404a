import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

final class Catalogue: Sendable {
    func register() {
        NotificationCenter.default.addObserver(
            self, selector: Catalogue.added, name: Notification.Name("Added"), object: nil)
        NotificationCenter.default.addObserver(
            self, selector: Catalogue.removed, name: Notification.Name(rawValue: "Removed"), object: nil)
    }

    func added() {}

    func removed(_ notification: Notification) {}
}

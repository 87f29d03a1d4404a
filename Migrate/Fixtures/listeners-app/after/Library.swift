import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

extension Notification.Name {
    static let shelfChanged = Notification.Name("shelfChanged")
}

final class Shelf {
    func add(_ title: String) {
        NotificationCenter.default.post(name: .shelfChanged, object: self)
    }
}

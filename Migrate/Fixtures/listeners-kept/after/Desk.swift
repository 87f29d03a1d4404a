import UIKit
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

final class Desk: NSObject {
    static let cleared = Notification.Name("cleared")

    func clear() { NotificationCenter.default.post(name: Desk.cleared, object: self) }
}

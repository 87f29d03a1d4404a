import UIKit

final class Desk: NSObject {
    static let cleared = Notification.Name("cleared")

    func clear() { NotificationCenter.default.post(name: Desk.cleared, object: self) }
}

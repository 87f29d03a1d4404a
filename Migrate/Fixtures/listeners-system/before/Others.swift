import Combine
import UIKit

extension UIScreen {
    static let dimmed = Notification.Name("dimmed")
}

let dimmed = NotificationCenter.default.publisher(for: UIScreen.dimmed)
let moved = NotificationCenter.default.publisher(for: Keyboard.moved)
let faded = Foundation.NotificationCenter.default.publisher(for: .NSSystemClockDidChange)

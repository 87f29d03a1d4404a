import Library
import UIKit

final class Application: NSObject {
    let center: NotificationCenter
    let other: NotificationCenter

    init(other: NotificationCenter) {
        center = NotificationCenter.default
        self.other = other
    }
}

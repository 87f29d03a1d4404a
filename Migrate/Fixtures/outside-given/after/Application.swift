import Library
import Switchyard
import UIKit
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

final class Application: NSObject {
    let center: NotificationCenter
    let other: NotificationCenter

    init(other: NotificationCenter) {
        center = NotificationCenter.default
        self.other = other
    }
}

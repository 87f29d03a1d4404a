import Combine
import Switchyard
import UIKit
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

final class Given: NSObject {
    convenience init(other: Int) { self.init(given: NotificationCenter.default) }

    private init(given: NotificationCenter) {
        super.init()
        given.addObserver(self, selector: Given.changed, name: .init("changed"), object: nil)
    }
    @objc func changed() {}
}

import Combine
import UIKit

final class Given: NSObject {
    convenience init(other: Int) { self.init(given: NotificationCenter.default) }

    private init(given: NotificationCenter) {
        super.init()
        given.addObserver(self, selector: #selector(changed), name: .init("changed"), object: nil)
    }
    @objc func changed() {}
}

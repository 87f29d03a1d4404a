import UIKit

final class View: UIView {
    func start() {
        NotificationCenter.default.addObserver(
            self, selector: #selector(heard), name: UIApplication.didBecomeActiveNotification, object: nil)
    }
    @objc func heard() {}
}

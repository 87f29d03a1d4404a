import UIKit

extension UIViewController {
    @objc func keyboardShown(_ notification: Notification) {}
    @objc func keyboardHidden(_ notification: Notification) {}
}

final class List: UITableViewController {
    func start() {
        NotificationCenter.default.addObserver(
            self, selector: #selector(keyboardShown(_:)), name: UIResponder.keyboardDidShowNotification, object: nil)
        NotificationCenter.default.addObserver(
            self, selector: #selector(keyboardHidden(_:)), name: UIResponder.keyboardDidHideNotification, object: nil)
    }
}

final class Grid: UICollectionViewController {
    override func keyboardHidden(_ notification: Notification) {}
}

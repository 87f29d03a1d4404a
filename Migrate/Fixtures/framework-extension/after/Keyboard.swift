import UIKit
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

extension UIViewController {
    func keyboardShown(_ notification: Notification) {}
    @objc func keyboardHidden(_ notification: Notification) {}
}

final class List: UITableViewController {
    func start() {
        NotificationCenter.default.observe(
            UIResponder.keyboardDidShowNotification, with: self, UIViewController.keyboardShown, on: .main)
        NotificationCenter.default.observe(
            UIResponder.keyboardDidHideNotification, with: self, UIViewController.keyboardHidden, on: .main)
    }
}

final class Grid: UICollectionViewController {
    override func keyboardHidden(_ notification: Notification) {}
}

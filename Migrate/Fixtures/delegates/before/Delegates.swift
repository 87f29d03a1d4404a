import SwiftUI
import UIKit

final class Keyboard: NSObject, UIGestureRecognizerDelegate {
    func start() {
        NotificationCenter.default.addObserver(
            self, selector: #selector(shown(_:)), name: UIResponder.keyboardDidShowNotification, object: nil)
    }

    @objc func shown(_ notification: SwiftUI.Notification) {}
}

final class Source: NSObject, UITableViewDataSource {
    func start() {
        NotificationCenter.default.addObserver(self, selector: #selector(changed), name: .init("changed"), object: nil)
    }

    @objc func changed() {}
}

final class Results: NSObject, NSFetchedResultsControllerDelegate {
    func start() {
        NotificationCenter.default.addObserver(self, selector: #selector(changed), name: .init("changed"), object: nil)
    }

    @objc func changed() {}
}

final class Later: NSObject {
    func start() {
        NotificationCenter.default.addObserver(self, selector: #selector(changed), name: .init("changed"), object: nil)
    }

    @objc func changed() {}
}

extension Later: UITextFieldDelegate {}

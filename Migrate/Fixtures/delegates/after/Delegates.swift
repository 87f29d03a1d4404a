import SwiftUI
import Switchyard
import UIKit
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

final class Keyboard: NSObject, UIGestureRecognizerDelegate {
    func start() {
        NotificationCenter.default.addObserver(
            self, selector: Keyboard.shown, name: UIResponder.keyboardDidShowNotification, object: nil)
    }

    func shown(_ notification: SwiftUI.Notification) {}
}

final class Source: NSObject, UITableViewDataSource {
    func start() {
        NotificationCenter.default.addObserver(self, selector: Source.changed, name: Notification.Name("changed"), object: nil)
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

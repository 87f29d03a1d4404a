import SwiftUI
import Switchyard
import UIKit
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

final class Keyboard: NSObject, UIGestureRecognizerDelegate {
    func start() {
        NotificationCenter.default.observe(
            UIResponder.keyboardDidShowNotification, with: self, Keyboard.shown, on: .main)
    }

    func shown(_ notification: SwiftUI.Notification) {}
}

final class Source: NSObject, UITableViewDataSource {
    func start() {
        NotificationCenter.default.observe(.init("changed"), with: self, Source.changed, on: .main)
    }

    func changed() {}
}

final class Results: NSObject, NSFetchedResultsControllerDelegate {
    func start() {
        NotificationCenter.default.addObserver(self, selector: Results.changed, name: .init("changed"), object: nil)
    }

    func changed() {}
}

final class Later: NSObject {
    func start() {
        NotificationCenter.default.addObserver(self, selector: Later.changed, name: .init("changed"), object: nil)
    }

    func changed() {}
}

extension Later: UITextFieldDelegate {}

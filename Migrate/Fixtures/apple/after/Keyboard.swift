import Combine
import Foundation
import Switchyard
import UIKit
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

extension UIViewController {
    func keyboardMoved(_ notification: Notification) {}
}

class BaseController: UIViewController {
    func watch() {
        NotificationCenter.default.observe(
            UIResponder.keyboardWillShowNotification, with: self, UIViewController.keyboardMoved,
            on: .main)
    }
}

final class Controller: BaseController {
    private var tokens: Set<AnyCancellable> = []

    override func viewDidLoad() {
        NotificationCenter.default.observe(
            UIApplication.didBecomeActiveNotification, with: self, Controller.activated, on: .main)
        #if os(iOS)
        NotificationCenter.default.addObserver(
            self,
            selector: #selector(sent(_:)), // from buttons, too
            name: .UIContentSizeCategoryDidChange, object: nil)
        #endif
        Foundation.NotificationCenter.default.publisher(for: .NSCalendarDayChanged).sink { _ in }
            .store(in: &tokens)
    }

    private func activated() {}
    @objc func sent(_ sender: Any?) {}
}

final class Store {
    init() {
        NotificationCenter.default.addObserver(
            self, selector: Store.closed, name: UIApplication.willTerminateNotification, object: nil)
    }

    func closed(_ notification: Notification) {}
}

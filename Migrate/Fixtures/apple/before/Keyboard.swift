import Combine
import UIKit

extension UIViewController {
    @objc func keyboardMoved(_ notification: Notification) {}
}

class BaseController: UIViewController {
    func watch() {
        NotificationCenter.default.addObserver(
            self, selector: #selector(keyboardMoved(_:)), name: UIResponder.keyboardWillShowNotification,
            object: nil)
    }
}

final class Controller: BaseController {
    private var tokens: Set<AnyCancellable> = []

    override func viewDidLoad() {
        NotificationCenter.default.addObserver(
            self, selector: #selector(activated), name: UIApplication.didBecomeActiveNotification, object: nil)
        #if os(iOS)
        NotificationCenter.default.addObserver(
            self,
            selector: #selector(sent(_:)), // from buttons, too
            name: .UIContentSizeCategoryDidChange, object: nil)
        #endif
        NotificationCenter.default.publisher(for: .NSCalendarDayChanged).sink { _ in }
            .store(in: &tokens)
    }

    @objc private func activated() {}
    @objc func sent(_ sender: Any?) {}
}

final class Store {
    init() {
        NotificationCenter.default.addObserver(
            self, selector: #selector(closed), name: UIApplication.willTerminateNotification, object: nil)
    }

    @objc func closed(_ notification: Notification) {}
}

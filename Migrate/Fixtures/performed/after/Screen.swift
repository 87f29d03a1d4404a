import Library
import Switchyard
import UIKit
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

/// Library's class has the methods `reload` and `showProgress`.
final class Screen: LibraryController {
    private let field = UITextField()
    private var action: Selector!

    func start(_ application: Application, _ observer: Selector) {
        application.observeActivation(self, selector: #selector(activated))
        Changes.add(self, #selector(activated), names: "a", "b")
        let center = NotificationCenter.default
        center.observe(.init("reload"), with: self, { [selector = #selector(reload)] observer in { @Sendable (notification: NSNotification) in _ = (observer as AnyObject).perform(selector, with: notification) } })
        center.observe(.init("progress"), of: field, with: self, { [selector = #selector(self.showProgress(_:))] observer in { @Sendable (notification: NSNotification) in _ = (observer as AnyObject).perform(selector, with: notification) } })
        center.observe(UITextField.textDidChangeNotification, of: field, with: self, { [selector = #selector(Screen.edited(_:))] observer in { @Sendable (notification: NSNotification) in _ = (observer as AnyObject).perform(selector, with: notification) } })
        center.observe(.init("refresh"), with: self, { [selector = Selector(("refresh:"))] observer in { @Sendable (notification: NSNotification) in _ = (observer as AnyObject).perform(selector, with: notification) } })
        center.observe(.init("changing"), with: self, { [selector = action as Selector] observer in { @Sendable (notification: NSNotification) in _ = (observer as AnyObject).perform(selector, with: notification) } })
        center.observe(.init("given"), with: self, { [selector = observer as Selector] observer in { @Sendable (notification: NSNotification) in _ = (observer as AnyObject).perform(selector, with: notification) } })
        let selector = #selector(written) as Selector
        center.observe(.init("written"), with: self, { [selector = selector as Selector] observer in { @Sendable (notification: NSNotification) in _ = (observer as AnyObject).perform(selector, with: notification) } })
    }

    @objc private func activated() {}
    @objc private func edited(_ field: UITextField) {}
    @objc private func written() {}
}

import Library
import Switchyard
import UIKit
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

/// A class observes with its own methods.
final class Settings: NSObject {
    static func start() {
        NotificationCenter.default.observe(.init("a"), with: self as AnyObject, { [selector = #selector(reload)] observer in { @Sendable (notification: NSNotification) in _ = (observer as AnyObject).perform(selector, with: notification) } })
    }

    func startAgain() {
        NotificationCenter.default.observe(.init("b"), with: Settings.self as AnyObject, { [selector = #selector(Settings.reload)] observer in { @Sendable (notification: NSNotification) in _ = (observer as AnyObject).perform(selector, with: notification) } })
    }

    @objc private static func reload() {}
}

extension UIScreen {
    class func start() {
        NotificationCenter.default.observe(.init("c"), with: self as AnyObject, { [selector = #selector(reload)] observer in { @Sendable (notification: NSNotification) in _ = (observer as AnyObject).perform(selector, with: notification) } })
    }

    @objc class func reload(_ notification: Notification) {}
}

/// Library's class has the method `read`.
struct Reader {
    let model: LibraryModel

    func start(_ other: LibraryModel, _ any: some Any, _ action: Selector) {
        let center = NotificationCenter.default
        center.observe(.init("d"), with: model as AnyObject, { [selector = #selector(LibraryModel.read)] observer in { @Sendable (notification: NSNotification) in _ = (observer as AnyObject).perform(selector, with: notification) } })
        center.observe(.init("e"), with: other as AnyObject, { [selector = #selector(LibraryModel.read)] observer in { @Sendable (notification: NSNotification) in _ = (observer as AnyObject).perform(selector, with: notification) } })
        center.observe(.init("e"), with: model.parent! as AnyObject, { [selector = #selector(LibraryModel.read)] observer in { @Sendable (notification: NSNotification) in _ = (observer as AnyObject).perform(selector, with: notification) } })
        center.observe(.init("e"), with: (model.first ?? model) as AnyObject, { [selector = #selector(LibraryModel.read)] observer in { @Sendable (notification: NSNotification) in _ = (observer as AnyObject).perform(selector, with: notification) } })
        center.observe(.init("e"), with: UITableView() as AnyObject, { [selector = #selector(UITableView.reloadData)] observer in { @Sendable (notification: NSNotification) in _ = (observer as AnyObject).perform(selector, with: notification) } })
        center.observe(.init("f"), with: any as AnyObject, { [selector = action as Selector] observer in { @Sendable (notification: NSNotification) in _ = (observer as AnyObject).perform(selector, with: notification) } })
    }

    func start(_ given: LibraryModel?) {
        guard let given else { return }
        NotificationCenter.default.observe(.init("g"), with: given as AnyObject, { [selector = #selector(LibraryModel.read)] observer in { @Sendable (notification: NSNotification) in _ = (observer as AnyObject).perform(selector, with: notification) } })
    }
}

import Library
import UIKit

/// A class observes with its own methods.
final class Settings: NSObject {
    static func start() {
        NotificationCenter.default.addObserver(self, selector: #selector(reload), name: .init("a"), object: nil)
    }

    func startAgain() {
        NotificationCenter.default.addObserver(Settings.self, selector: #selector(Settings.reload), name: .init("b"), object: nil)
    }

    @objc private static func reload() {}
}

extension UIScreen {
    class func start() {
        NotificationCenter.default.addObserver(self, selector: #selector(reload), name: .init("c"), object: nil)
    }

    @objc class func reload(_ notification: Notification) {}
}

/// Library's class has the method `read`.
struct Reader {
    let model: LibraryModel

    func start(_ other: LibraryModel, _ any: some Any, _ action: Selector) {
        let center = NotificationCenter.default
        center.addObserver(model, selector: #selector(LibraryModel.read), name: .init("d"), object: nil)
        center.addObserver(other, selector: #selector(LibraryModel.read), name: .init("e"), object: nil)
        center.addObserver(model.parent!, selector: #selector(LibraryModel.read), name: .init("e"), object: nil)
        center.addObserver(model.first ?? model, selector: #selector(LibraryModel.read), name: .init("e"), object: nil)
        center.addObserver(UITableView(), selector: #selector(UITableView.reloadData), name: .init("e"), object: nil)
        center.addObserver(any, selector: action, name: .init("f"), object: nil)
    }

    func start(_ given: LibraryModel?) {
        guard let given else { return }
        NotificationCenter.default.addObserver(given, selector: #selector(LibraryModel.read), name: .init("g"), object: nil)
    }
}

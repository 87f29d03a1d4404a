import Library
import UIKit

/// Library's class has the method `reload`.
final class Screen: LibraryController {
    private let field: UITextField?

    func start() {
        let center = NotificationCenter.default
        // There may be no observer.
        center.addObserver(field, selector: Selector(("setNeedsLayout")), name: .init("d"), object: nil)
        // Comments would be lost, and `observe` returns a token.
        center.addObserver(self, selector: #selector(reload), /* of all */ name: .init("e"), object: nil)
        _ = [1].map { _ in (center.addObserver(self, selector: #selector(reload), name: .init("f"), object: nil), 1) }
    }

    // An object has no method of its class.
    func startAll() {
        NotificationCenter.default.addObserver(self, selector: #selector(Screen.reloadAll), name: .init("g"), object: nil)
    }
    @objc static func reloadAll() {}
}

extension Screen {
    // There may be no observer.
    func observe(_ model: LibraryModel?) {
        NotificationCenter.default.addObserver(model, selector: #selector(LibraryModel.read), name: .init("i"), object: nil)
        NotificationCenter.default.addObserver(library?.model, selector: #selector(LibraryModel.read), name: .init("i"), object: nil)
    }
}

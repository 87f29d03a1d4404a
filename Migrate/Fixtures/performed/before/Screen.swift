import Library
import UIKit

/// Library's class has the methods `reload` and `showProgress`.
final class Screen: LibraryController {
    private let field = UITextField()
    private var action: Selector!

    func start(_ application: Application, _ observer: Selector) {
        application.observeActivation(self, selector: #selector(activated))
        Changes.add(self, #selector(activated), names: "a", "b")
        let center = NotificationCenter.default
        center.addObserver(self, selector: #selector(reload), name: .init("reload"), object: nil)
        center.addObserver(self, selector: #selector(self.showProgress(_:)), name: .init("progress"), object: field)
        center.addObserver(self, selector: #selector(Screen.edited(_:)), name: UITextField.textDidChangeNotification, object: field)
        center.addObserver(self, selector: Selector(("refresh:")), name: .init("refresh"), object: nil)
        center.addObserver(self, selector: action, name: .init("changing"), object: nil)
        center.addObserver(self, selector: observer, name: .init("given"), object: nil)
        let selector = #selector(written) as Selector
        center.addObserver(self, selector: selector, name: .init("written"), object: nil)
    }

    @objc private func activated() {}
    @objc private func edited(_ field: UITextField) {}
    @objc private func written() {}
}

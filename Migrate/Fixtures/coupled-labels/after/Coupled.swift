import Foundation

/// The class calls the method of the extension.
final class Coupled: NSObject {
    var token: Any?

    func start() {
        token = NotificationCenter.default.addObserver(for: .moved) { _ in }
        NotificationCenter.default.addObserver(self, selector: #selector(moved), name: .init("moved"), object: nil)
    }

    @objc private func moved() {}
}

import Foundation

final class Window {
    private let catalogue = Catalogue()

    func observe() {
        NotificationCenter.default.addObserver(
            self, selector: #selector(changed), name: .changed, object: catalogue)
    }

    @objc private func changed() {}
}

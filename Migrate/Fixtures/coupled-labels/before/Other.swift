import Foundation

/// The class calls the center's own methods, which have nothing to do with the extension's.
final class Other: NSObject {
    func start() {
        NotificationCenter.default.addObserver(self, selector: #selector(moved), name: .init("moved"), object: nil)
        _ = NotificationCenter.default.addObserver(forName: .init("moved"), object: nil, queue: nil) { _ in }
    }

    @objc private func moved() {}
}

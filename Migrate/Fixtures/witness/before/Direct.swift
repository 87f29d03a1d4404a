import Foundation

final class Direct: NSObject {
    func start() {
        NotificationCenter.default.addObserver(
            self, selector: #selector(moved), name: .init("changed"), object: nil)
    }

    @objc private func moved() {}
}

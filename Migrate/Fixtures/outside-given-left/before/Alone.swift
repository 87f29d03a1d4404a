import UIKit

final class Alone: UIViewController {
    func start() {
        NotificationCenter.default.addObserver(self, selector: #selector(changed), name: .init("changed"), object: nil)
    }
    @objc private func changed() {}
}

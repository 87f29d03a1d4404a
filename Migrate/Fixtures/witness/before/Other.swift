import Foundation

final class Other: NSObject {
    let tracker = Tracker(center: NotificationCenter.default)

    func start() {
        NotificationCenter.default.addObserver(
            self, selector: #selector(changed), name: .init("changed"), object: nil)
    }

    @objc private func changed() {}
}

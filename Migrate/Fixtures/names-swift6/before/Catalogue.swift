import Foundation

final class Catalogue: Sendable {
    func register() {
        NotificationCenter.default.addObserver(
            self, selector: #selector(added), name: .init("Added"), object: nil)
        NotificationCenter.default.addObserver(
            self, selector: #selector(removed(_:)), name: .init(rawValue: "Removed"), object: nil)
    }

    @objc func added() {}

    @objc func removed(_ notification: Notification) {}
}

import Foundation

class Catalogue {
    let signals: NotificationCenter

    init(center: NotificationCenter = .default) { signals = center }

    func observe() {
        signals.addObserver(self, selector: #selector(changed), name: .changed, object: nil)
    }

    @objc private func changed() {}
}

final class Index: Catalogue {
    override init(center: NotificationCenter = .default) { super.init(center: center) }
}

extension Notification.Name {
    static let changed = Notification.Name("changed")
}

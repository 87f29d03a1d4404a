import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

class Catalogue {
    let signals: NotificationCenter

    init(center: NotificationCenter = .default) { signals = center }

    func observe() {
        signals.addObserver(self, selector: Catalogue.changed, name: .changed, object: nil)
    }

    private func changed() {}
}

final class Index: Catalogue {
    override init(center: NotificationCenter = .default) { super.init(center: center) }
}

extension Notification.Name {
    static let changed = Notification.Name("changed")
}

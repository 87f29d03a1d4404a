import Combine
import Foundation

/// The file keeps Foundation's center, and gets it from others.
final class Listener {
    private let center: NotificationCenter
    private var token: Any?

    init(center: NotificationCenter) {
        self.center = center
        token = center.publisher(for: .init("moved")).sink { _ in }
        token = center.addObserver(for: .moved) { _ in }
        center.post(name: .init("started"), object: nil)
    }
}

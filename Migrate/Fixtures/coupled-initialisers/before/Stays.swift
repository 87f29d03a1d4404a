import Foundation
import Reactive

final class Reader {
    private let center: NotificationCenter

    init(center: NotificationCenter = .default) { self.center = center }

    func read() { listen(on: center) }
}

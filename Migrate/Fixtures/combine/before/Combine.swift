import Combine
import Foundation

final class Subscriber {
    var subscriptions: Set<AnyCancellable> = []
    init(center: NotificationCenter = .default) {
        center.publisher(for: .init("a"))
            .map { $0.name }
            .receive(on: DispatchQueue.main)
            .sink { print($0) }
            .store(in: &subscriptions)
    }
}

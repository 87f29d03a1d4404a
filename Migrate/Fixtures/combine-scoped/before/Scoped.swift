import class Combine.AnyCancellable
import struct Combine.AnyPublisher
import Foundation

func follow(_ center: NotificationCenter) -> AnyCancellable {
    let all: AnyPublisher<Notification, Never> = center.publisher(for: .init("a"))
        .eraseToAnyPublisher()
    return all.sink { print($0) }
}

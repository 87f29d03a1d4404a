import Combine
import Foundation

func all(_ center: NotificationCenter) -> AnyCancellable {
    center.publisher(for: .init("a"))
        .merge(with: center.publisher(for: .init("b")))
        .sink { print($0) }
}

import Combine
import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

func all(_ center: NotificationCenter) -> AnyCancellable {
    center.publisher(for: .init("a"))
        .merge(with: center.publisher(for: .init("b")))
        .sink { print($0) }
}

import Combine
import XCTest

func check(_ center: NotificationCenter) -> AnyCancellable {
    center.publisher(for: .init("a")).receive(on: DispatchQueue.main).sink { print($0) }
}

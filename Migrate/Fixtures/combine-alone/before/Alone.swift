import Combine

func follow(_ center: NotificationCenter) -> AnyCancellable {
    center.publisher(for: .init("a")).sink { print($0) }
}

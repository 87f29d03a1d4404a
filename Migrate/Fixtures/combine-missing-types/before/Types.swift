import Combine
import Foundation

typealias Posts = AnyPublisher<Notification, Never>

struct Both {
    let latest: Publishers.CombineLatest<Posts, Posts>
    let merged: Combine.Publishers.Merge<Posts, Posts>
    var other: Publishers.MergeMany<Posts> { Publishers.MergeMany([]) }
}

func follow(_ center: NotificationCenter) -> AnyCancellable {
    center.publisher(for: .init("a")).sink { print($0) }
}

import class OpenCombine.AnyCancellable
import struct OpenCombine.AnyPublisher
import SwitchyardOpenCombine
import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

func follow(_ center: NotificationCenter) -> AnyCancellable {
    let all: AnyPublisher<Notification, Never> = center.publisher(for: .init("a"))
        .eraseToAnyPublisher()
    return all.sink { print($0) }
}

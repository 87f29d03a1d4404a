import Combine
import Foundation
import SwitchyardOpenCombine

func start(_ center: NotificationCenter) -> AnyCancellable {
    center.publisher(for: .init("a")).sink { print($0) }
}

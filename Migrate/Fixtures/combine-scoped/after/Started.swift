import OpenCombine
import Foundation
import Switchyard
import SwitchyardOpenCombine
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

func start(_ center: NotificationCenter) -> AnyCancellable {
    center.publisher(for: .init("a")).sink { print($0) }
}

import OpenCombine
import SwitchyardOpenCombine
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

func follow(_ center: NotificationCenter) -> AnyCancellable {
    center.publisher(for: .init("a")).sink { print($0) }
}

import OpenCombine
import OpenCombineDispatch
import SwitchyardOpenCombine
import Switchyard
import XCTest
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

func check(_ center: NotificationCenter) -> AnyCancellable {
    center.publisher(for: .init("a")).receive(on: DispatchQueue.main).sink { print($0) }
}

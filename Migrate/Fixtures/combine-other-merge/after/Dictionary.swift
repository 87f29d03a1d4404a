import OpenCombine
import SwitchyardOpenCombine
import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

func follow(_ center: NotificationCenter) -> AnyCancellable {
    var names = ["a": 1]
    names.merge(["b": 2], uniquingKeysWith: { first, _ in first })
    return center.publisher(for: .init("a")).sink { print($0) }
}

enum Step { case Merge }
let step = Step.Merge

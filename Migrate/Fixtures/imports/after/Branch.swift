import Dispatch
#if !os(Windows)
import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

func postBranch() { NotificationCenter.default.post(name: .init("a"), object: nil) }
#endif

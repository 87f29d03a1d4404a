import Dispatch
#if !os(Windows)
import Foundation

func postBranch() { NotificationCenter.default.post(name: .init("a"), object: nil) }
#endif

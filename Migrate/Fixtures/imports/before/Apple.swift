import Foundation
#if canImport(UIKit)
import UIKit

func postApple() { NotificationCenter.default.post(name: UIApplication.didBecomeActiveNotification, object: nil) }
#endif

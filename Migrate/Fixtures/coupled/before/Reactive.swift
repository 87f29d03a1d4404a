import Foundation
import Reactive

func stream() -> Any { NotificationCenter.default.rx.notification(.init("something")) }

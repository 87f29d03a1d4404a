internal import Foundation
internal import Switchyard
internal import class Switchyard.NotificationCenter
internal import class Switchyard.NotificationQueue

public func post() { NotificationCenter.default.post(name: .init("a"), object: nil) }

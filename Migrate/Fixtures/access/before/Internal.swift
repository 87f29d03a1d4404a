internal import Foundation

public func post() { NotificationCenter.default.post(name: .init("a"), object: nil) }

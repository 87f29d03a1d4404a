public import Foundation
public import Switchyard
public import class Switchyard.NotificationCenter
public import class Switchyard.NotificationQueue

public final class Poster: Sendable {
    public let center: NotificationCenter
    public init(center: NotificationCenter = .default) { self.center = center }
}

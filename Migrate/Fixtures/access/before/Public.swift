public import Foundation

public final class Poster: Sendable {
    public let center: NotificationCenter
    public let name: Notification.Name

    public init(center: NotificationCenter = .default, name: Notification.Name) {
        self.center = center
        self.name = name
    }
}

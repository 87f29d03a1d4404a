public import Foundation

public final class Poster: Sendable {
    public let center: NotificationCenter
    public init(center: NotificationCenter = .default) { self.center = center }
}

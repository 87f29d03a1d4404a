@preconcurrency import Foundation;import Dispatch

struct Poster: Sendable {
    var center: NotificationCenter = .default
}

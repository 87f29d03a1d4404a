@preconcurrency import Foundation;
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue
import Dispatch

struct Poster: Sendable {
    var center: NotificationCenter = .default
}

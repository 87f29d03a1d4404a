import Foundation

struct Follower {
    func follow(_ places: Places) { places.notify(on: NotificationCenter.default) }
}

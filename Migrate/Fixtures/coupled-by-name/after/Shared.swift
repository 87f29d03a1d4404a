import Foundation

struct Places {
    let postingPlace: NotificationCenter
    func notify(on center: NotificationCenter = .default) {}
}

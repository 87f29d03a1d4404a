import Foundation

struct Other {
    private let postingPlace = NotificationCenter.default
    func post() { postingPlace.post(name: .NSCalendarDayChanged, object: nil) }
    func call(_ other: Other) { other.notify() }
    func notify() {}
}

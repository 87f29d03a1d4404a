import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

struct Other {
    private let postingPlace = NotificationCenter.default
    func post() { postingPlace.post(name: .NSCalendarDayChanged, object: nil) }
    func call(_ other: Other) { other.notify() }
    func notify() {}
}

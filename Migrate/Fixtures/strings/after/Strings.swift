import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

final class Strings: NSObject {
    func start() {
        let center = NotificationCenter.default
        center.addObserver(self, selector: Strings.plain, name: .init("a"), object: nil)
        center.addObserver(self, selector: Strings.short, name: .init("a"), object: nil)
        center.addObserver(self, selector: Strings.long, name: .init("a"), object: nil)
        center.addObserver(self, selector: Strings.heard, name: .init("a"), object: nil)
    }
    func plain() {}
    func short(_ note: Notification) {}
    func long(note: Notification) {}
    func heard(about note: NSNotification) {}
}

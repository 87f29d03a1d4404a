import Foundation

final class Strings: NSObject {
    func start() {
        let center = NotificationCenter.default
        center.addObserver(self, selector: Selector("plain"), name: .init("a"), object: nil)
        center.addObserver(self, selector: Selector(("short:")), name: .init("a"), object: nil)
        center.addObserver(self, selector: NSSelectorFromString("longWithNote:"), name: .init("a"), object: nil)
        center.addObserver(self, selector: Selector("heardAbout:"), name: .init("a"), object: nil)
    }
    @objc func plain() {}
    @objc func short(_ note: Notification) {}
    @objc func long(note: Notification) {}
    @objc func heard(about note: NSNotification) {}
}

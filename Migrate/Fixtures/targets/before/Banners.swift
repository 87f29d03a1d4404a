import Foundation

extension Dispatch {
    @objc
    func received(_ notification: Notification) { print("a banner") }
    @objc func ended(_ notification: Notification) {}
}

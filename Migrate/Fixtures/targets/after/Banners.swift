import Foundation

extension Dispatch {
    func received(_ notification: Notification) { print("a banner") }
    @objc func ended(_ notification: Notification) {}
}

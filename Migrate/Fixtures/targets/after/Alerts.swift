import Foundation

extension Dispatch {
    func received(_ notification: Notification) { print("an alert") }
    @objc func ended() {}
}

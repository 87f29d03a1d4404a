import Foundation

extension Dispatch {
    @objc
    func received(_ notification: Notification) { print("an alert") }
    @objc func ended() {}
}

import Foundation

/// A center of our own.
final class NotificationCenter {
    static let `default` = NotificationCenter()
    func addObserver(_ observer: Any, selector: String, name: String?, object: Any?) {}
}

final class Client {
    func start() {
        NotificationCenter.default.addObserver(self, selector: "changed", name: nil, object: nil)
    }
}

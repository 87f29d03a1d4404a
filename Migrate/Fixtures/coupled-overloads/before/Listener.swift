import Foundation

final class Listener {
    func begin() {
        _ = NotificationCenter.default.addObserver(forName: .init("a"), object: "b", queue: nil) { _ in }
    }
}

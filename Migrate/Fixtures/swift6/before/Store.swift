import Foundation

@MainActor final class Store {
    private let center = NotificationCenter.default

    func start() {
        center.addObserver(self, selector: #selector(saved), name: .init("saved"), object: nil)
        center.addObserver(self, selector: #selector(loaded(_:)), name: .init("loaded"), object: nil)
        center.addObserver(self, selector: #selector(result), name: .init("loaded"), object: nil)
        center.addObserver(self, selector: #selector(both as () -> Void), name: .init("loaded"), object: nil)
    }

    @objc func saved() {}
    @objc func loaded(_ note: Notification) {}
    @objc func result(_ note: Notification) -> Bool { true }
    @objc func both() {}
    func both(_ note: Notification) {}
}

final class Log: @unchecked Sendable {
    func start() {
        NotificationCenter.default.addObserver(self, selector: #selector(saved), name: .init("saved"), object: nil)
        NotificationCenter.default.addObserver(self, selector: #selector(count), name: .init("saved"), object: nil)
    }
    @objc func saved(_ note: NSNotification) {}
    @objc func count() -> Int { 0 }
}

import Foundation

final class Reader: NSObject, Sendable {
    func start() {
        NotificationCenter.default.observe(self, #selector(read), text: "a")
        NotificationCenter.default.observe(self, #selector(closed(_:)), text: "a")
    }

    @objc private func read() {}
    @objc private func closed(_ note: Notification) {}
}

@MainActor final class Screen: NSObject {
    func start() {
        NotificationCenter.addObserver(self, selector: #selector(moved(_:)), name: .init("a"))
    }

    @objc private func moved(_ note: NSNotification) {}
}

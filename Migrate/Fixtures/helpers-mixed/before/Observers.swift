import Foundation

final class Model: NSObject {
    func start() {
        NotificationCenter.observe(self, #selector(saved), text: "a")
        NotificationCenter.observe(self, #selector(loaded(_:)), text: "b")
    }

    @objc private func saved() {}
    @objc private func loaded(_ note: Notification) {}
}

@MainActor final class Screen: NSObject {
    func start() {
        NotificationCenter.observe(self, #selector(shown), text: "a")
        NotificationCenter.observe(self, #selector(moved(_:)), text: "b")
        NotificationCenter.observe(self, #selector(sized(note:)), text: "b")
        NotificationCenter.observe(self, #selector(turned(_:)), text: "b")
    }

    @objc private func shown() {}
    @objc private func moved(_ note: Notification) {}
    @objc private func sized(note: Any) -> Bool { true }
    @objc private func turned(_ note: Notification) {}
    private func turned(_ count: Int) {}
}

import Foundation

final class Detail: Screen {
    func start() {
        NotificationCenter.default.observeBoth(
            target: self, show: #selector(shown(_:)), hide: #selector(hidden))
        Screen.listen(self, #selector(moved(_:)))
        listen(show: #selector(shown(_:)), hide: #selector(hidden))
    }

    @objc private func shown(_ note: Notification) {}
}

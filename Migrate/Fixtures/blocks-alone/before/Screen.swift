import Foundation

func watch(_ body: () -> Void) { body() }

final class Screen: NSObject {
    func start() {
        NotificationCenter.default.do {
            $0.addObserver(self, selector: #selector(close(_:)), name: .init("close"), object: nil)
        }
        watch {
            NotificationCenter.default.addObserver(self, selector: #selector(close(_:)), name: nil, object: nil)
        }
    }

    @objc private func close(_ note: Notification) {}
}

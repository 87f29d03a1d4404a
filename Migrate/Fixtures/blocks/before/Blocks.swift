import Foundation

func with<Value>(_ value: Value, _ body: (Value) -> Void) { body(value) }

final class Screen: NSObject {
    private let center = NotificationCenter.default

    func start() {
        NotificationCenter.default.do {
            $0.addObserver(self, selector: #selector(blur), name: .init("blur"), object: nil)
            $0.addObserver(self, selector: #selector(clear(_:)), name: .init("clear"), object: nil)
        }
        center.then { center in
            // The window closes before the screen.
            center.addObserver(self, selector: #selector(close), name: .init("close"), object: self)
        }
        self.center.with { $0.addObserver(self, selector: #selector(Screen.blur), name: nil, object: nil) }
        with(center) {
            $0.addObserver(self, selector: #selector(blur), name: .init("again"), object: nil)
        }
        with(NotificationCenter.default) { given in
            given.addObserver(self, selector: #selector(clear(_:)), name: .init("again"), object: nil)
        }
    }

    func again() {
        NotificationCenter.default.then { center in
            center.addObserver(self, selector: #selector(blur), name: nil, object: nil)
        }
        NotificationCenter.default.then { given in given.addObserver(self, selector: #selector(blur), name: nil, object: nil) }
        print("observed")
    }

    func stop() {
        NotificationCenter.default.do { $0.removeObserver(self) }
    }

    @objc private func blur() {}
    @objc private func clear(_ note: Notification) {}
    @MainActor @objc private func close(_ note: NSNotification) {}
}

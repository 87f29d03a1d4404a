import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

func with<Value>(_ value: Value, _ body: (Value) -> Void) { body(value) }

final class Screen: NSObject {
    private let center = NotificationCenter.default

    func start() {
        do {
            NotificationCenter.default.addObserver(self, selector: Screen.blur, name: .init("blur"), object: nil)
            NotificationCenter.default.addObserver(self, selector: Screen.clear, name: .init("clear"), object: nil)
        }
        do {
            // The window closes before the screen.
            center.observe(.init("close"), of: self, with: self, Screen.close, on: .main)
        }
        do { self.center.addObserver(self, selector: Screen.blur, name: nil, object: nil) }
        with(center) {
            $0.addObserver(self, selector: Screen.blur, name: .init("again"), object: nil)
        }
        with(NotificationCenter.default) { given in
            given.addObserver(self, selector: Screen.clear, name: .init("again"), object: nil)
        }
    }

    func again() {
        do {
            let center = NotificationCenter.default
            center.addObserver(self, selector: Screen.blur, name: nil, object: nil)
        }
        do { let given = NotificationCenter.default; given.addObserver(self, selector: Screen.blur, name: nil, object: nil) }
        print("observed")
    }

    func stop() {
        do { NotificationCenter.default.removeObserver(self) }
    }

    private func blur() {}
    private func clear(_ note: Notification) {}
    @MainActor private func close(_ note: NSNotification) {}
}

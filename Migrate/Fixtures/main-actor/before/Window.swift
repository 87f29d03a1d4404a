import Dispatch
import Foundation

@MainActor class Window: NSObject {
    override init() {
        super.init()
        NotificationCenter.default.addObserver(self, selector: #selector(closed), name: .init("closed"), object: nil)
        NotificationCenter.default.addObserver(
            self,
            selector: #selector(moved(_:)),
            name: .init("moved"),
            object: self
        )
        NotificationCenter.default.addObserver(
            self, selector: #selector(free(_:)), name: .init("moved"), object: nil)
    }

    @objc func closed() {}
    @objc func moved(_ note: NSNotification) {}
    @objc nonisolated func free(_ note: Notification) {}
}

final class Sheet: Window {
    func start() {
        NotificationCenter.default.addObserver(
            self,
            selector: #selector(opened),
            name: .init("opened"),
            object: nil
        )
    }
    @objc private func opened(_ note: Notification) {}
}

final class Model: NSObject {
    func start() {
        NotificationCenter.default.addObserver(self, selector: #selector(changed), name: .init("changed"), object: nil)
    }
    @MainActor @objc func changed() {}
}

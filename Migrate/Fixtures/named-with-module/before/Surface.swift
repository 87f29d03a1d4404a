import Foundation

enum Terminal {
    struct Notification {}
}

extension Terminal {
    final class Surface {
        func start() {
            NotificationCenter.default.addObserver(self, selector: #selector(bell(_:)), name: .init("bell"), object: nil)
            NotificationCenter.default.addObserver(self, selector: #selector(read), name: .init("read"), object: self)
            NotificationCenter.default.addObserver(self, selector: #selector(closed(_:)), name: .init("closed"), object: nil)
            NotificationCenter.default.addObserver(
                self, selector: #selector(moved(_:) as (Foundation.Notification) -> Void), name: .init("moved"), object: nil)
        }

        @objc func bell(_ notification: Foundation.Notification) {}
        @objc func read(_ notification: Foundation.NSNotification) {}
        @objc func closed(_ notification: Foundation.Notification) -> Bool { true }
        @objc func moved(_ notification: Foundation.Notification) {}
        func moved(_ notification: Notification) {}
    }
}

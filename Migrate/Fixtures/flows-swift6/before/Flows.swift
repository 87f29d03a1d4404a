import Foundation

final class Flows: NSObject, Sendable {
    func start() {
        listen(to: .init("a"), #selector(first))
        self.listen(to: .init("b"), #selector(second))
        let pairs: [(Notification.Name, Selector)] = [
            (.init("a"), #selector(third(_:))),
            (.init("b"), #selector(fourth(_:))),
        ]
        pairs.forEach {
            NotificationCenter.default.addObserver(self, selector: $0.1, name: $0.0, object: nil)
        }
        for (name, method) in [(Notification.Name("c"), #selector(first)), (Notification.Name("d"), #selector(second))] {
            NotificationCenter.default.addObserver(self, selector: method, name: name, object: nil)
        }
    }

    private func listen(to name: Notification.Name, _ method: Selector) {
        NotificationCenter.default.addObserver(self, selector: method, name: name, object: nil)
    }

    @objc private func first() {}
    @objc private func second() {}
    @objc private func third(_ note: Notification) {}
    @objc private func fourth(_ note: Notification) {}
}

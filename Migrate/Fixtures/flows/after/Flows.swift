import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

final class Flows: NSObject {
    func start() {
        listen(to: .init("a"), Flows.first)
        self.listen(to: .init("b"), Flows.second)
        let pairs: [(Notification.Name, (Flows) -> (Notification) -> Void)] = [
            (.init("a"), Flows.third),
            (.init("b"), Flows.fourth),
        ]
        pairs.forEach {
            NotificationCenter.default.addObserver(self, selector: $0.1, name: $0.0, object: nil)
        }
        for (name, method) in [(Notification.Name("c"), Flows.first), (Notification.Name("d"), Flows.second)] {
            NotificationCenter.default.addObserver(self, selector: method, name: name, object: nil)
        }
    }

    private func listen(to name: Notification.Name, _ method: @escaping (Flows) -> () -> Void) {
        NotificationCenter.default.addObserver(self, selector: method, name: name, object: nil)
    }

    private func first() {}
    private func second() {}
    private func third(_ note: Notification) {}
    private func fourth(_ note: Notification) {}
}

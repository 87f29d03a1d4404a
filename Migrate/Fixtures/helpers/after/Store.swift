import Foundation

class Store: Client {
    func start() {
        listen(.init("a"), selector: Store.saved)
        self.listen(.init("b"), selector: Client.changed)
        // Methods without a parameter, with another one, or with a result.
        listen(.init("c"), selector: { (observer: Store) in { _ in observer.closed() } })
        listen(.init("d"), selector: { (observer: Store) in { notification in observer.moved(object: notification) } })
        listen(.init("e"), selector: { (observer: Store) in { _ in _ = observer.reload() } })
        listen(.init("e"), selector: { (observer: Store) in { notification in observer.sized(notification as NSNotification) } })
        watch(to: .init("a"), Client.changed)
        listenTwice(.init("a"), then: .init("b"), selector: Store.closed)
        let later = { [weak self] in
            guard let self else { return }
            self.listen(.init("f"), selector: Store.saved)
        }
        later()
    }

    private func saved(_ note: Notification) {}
    private func closed() {}
    private func moved(object: Any) {}
    private func reload() -> Bool { true }
    private func sized(_ note: NSNotification) {}
}

final class Shop: Store {
    override func start() {
        super.start()
        super.listen(.init("g"), selector: { (observer: Shop) in { _ in observer.sold() } })
        listenTwice(.init("a"), then: .init("b"), selector: Shop.sold)
    }

    fileprivate func sold() {}
}

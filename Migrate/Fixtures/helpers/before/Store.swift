import Foundation

class Store: Client {
    func start() {
        listen(.init("a"), selector: #selector(saved(_:)))
        self.listen(.init("b"), selector: #selector(changed))
        // Methods without a parameter, with another one, or with a result.
        listen(.init("c"), selector: #selector(closed))
        listen(.init("d"), selector: #selector(moved(object:)))
        listen(.init("e"), selector: #selector(Store.reload))
        listen(.init("e"), selector: #selector(sized(_:)))
        watch(to: .init("a"), #selector(changed(_:)))
        listenTwice(.init("a"), then: .init("b"), selector: #selector(closed))
        let later = { [weak self] in
            guard let self else { return }
            self.listen(.init("f"), selector: #selector(self.saved(_:)))
        }
        later()
    }

    @objc private func saved(_ note: Notification) {}
    @objc private func closed() {}
    @objc private func moved(object: Any) {}
    @objc private func reload() -> Bool { true }
    @objc private func sized(_ note: NSNotification) {}
}

final class Shop: Store {
    override func start() {
        super.start()
        super.listen(.init("g"), selector: #selector(sold))
        listenTwice(.init("a"), then: .init("b"), selector: #selector(sold))
    }

    @objc fileprivate func sold() {}
}

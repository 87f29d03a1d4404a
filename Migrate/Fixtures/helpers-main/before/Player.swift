import Foundation

final class Player: Screen {
    func start() {
        listen(.init("a"), selector: #selector(paused))
        listen(.init("b"), selector: #selector(ended(_:)))
        listen(.init("b"), selector: #selector(asked(_:)))
        listenToObject(.init("c"), self, #selector(paused))
    }

    @objc private func paused() {}
    @objc private func asked(_ sender: Any) {}
    @objc private func ended(_ note: NSNotification) {}
}

class List: Screen {
    func start() {
        listen(.init("a"), selector: #selector(reload(_:)))
        listenToObject(.init("c"), nil, #selector(cleared))
    }

    @objc func reload(_ note: NSNotification) {}
    @objc func cleared() {}
}

class Listener: Screen, Listening {
    func start() { listenOnce(#selector(heard)) }

    @objc func heard() {}
}

final class OtherListener: Listener {
    override func start() { listenOnce(#selector(lost(_:))) }

    @objc private func lost(_ note: Notification) {}
}

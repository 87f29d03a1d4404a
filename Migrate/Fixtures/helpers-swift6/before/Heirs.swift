import Foundation

final class Printer: Worker, @unchecked Sendable {
    func start() {
        listen(.init("a"), #selector(printed(_:)))
        listen(.init("b"), #selector(stopped))
    }

    @objc private func printed(_ note: Notification) {}
    @objc private func stopped() {}
}

final class List: Screen {
    func start() {
        listen(.init("a"), #selector(reload), as: Observer())
        listen(.init("b"), #selector(moved(_:)), as: Observer())
        listen(.init("c"), #selector(asked(_:)), as: Observer())
        listen(.init("d"), #selector(told), as: Observer())
    }

    @objc private func reload() {}
    @objc private func moved(_ note: Notification) {}
    @objc private func asked(_ sender: Any?) -> Bool { true }
    @objc private func told() {}
    private func told(_ count: Int) {}
}

final class Detail: Screen {
    func start() {
        listen(.init("a"), #selector(shown(_:)), as: Observer())
    }

    @objc private func shown(_ note: Notification) {}
    private func shown(_ count: Int) {}
}

class Listener: Screen, Listening {
    func start() { listenOnce(#selector(heard)) }

    @objc func heard() {}
}

final class SecondListener: Listener {
    override func start() { listenOnce(#selector(lost)) }

    @objc private func lost() {}
}

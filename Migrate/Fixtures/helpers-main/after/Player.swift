import Foundation

final class Player: Screen {
    func start() {
        listen(.init("a"), selector: { (observer: Player) in { _ in observer.paused() } })
        listen(.init("b"), selector: Player.ended)
        listen(.init("b"), selector: { (observer: Player) in { notification in observer.asked(notification as Notification) } })
        listenToObject(.init("c"), self, Player.paused)
    }

    private func paused() {}
    private func asked(_ sender: Any) {}
    private func ended(_ note: NSNotification) {}
}

class List: Screen {
    func start() {
        listen(.init("a"), selector: List.reload)
        listenToObject(.init("c"), nil, List.cleared)
    }

    func reload(_ note: NSNotification) {}
    func cleared() {}
}

class Listener: Screen, Listening {
    func start() { listenOnce({ observer in { _ in observer.heard() } }) }

    func heard() {}
}

final class OtherListener: Listener {
    override func start() { listenOnce(OtherListener.lost) }

    private func lost(_ note: Notification) {}
}

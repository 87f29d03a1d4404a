import Foundation

final class Printer: Worker, @unchecked Sendable {
    func start() {
        listen(.init("a"), Printer.printed)
        listen(.init("b"), { (observer: Printer) in { _ in observer.stopped() } })
    }

    private func printed(_ note: Notification) {}
    private func stopped() {}
}

final class List: Screen {
    func start() {
        listen(.init("a"), { (observer: List) in { _ in observer.reload() } }, as: Observer())
        listen(.init("b"), List.moved, as: Observer())
        listen(.init("c"), { (observer: List) in { notification in _ = observer.asked(notification) } }, as: Observer())
        listen(.init("d"), { (observer: List) in { _ in observer.told() } }, as: Observer())
    }

    private func reload() {}
    private func moved(_ note: Notification) {}
    private func asked(_ sender: Any?) -> Bool { true }
    private func told() {}
    private func told(_ count: Int) {}
}

final class Detail: Screen {
    func start() {
        listen(.init("a"), Detail.shown as @Sendable (Detail) -> @MainActor (Notification) -> Void, as: Observer())
    }

    private func shown(_ note: Notification) {}
    private func shown(_ count: Int) {}
}

class Listener: Screen, Listening {
    func start() { listenOnce(Listener.heard) }

    func heard() {}
}

final class SecondListener: Listener {
    override func start() { listenOnce(SecondListener.lost) }

    private func lost() {}
}

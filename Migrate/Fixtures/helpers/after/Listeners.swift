import Foundation

class FirstListener: Listener {
    override init() {
        super.init()
        listenOnce(FirstListener.found)
    }

    private func found(_ note: Notification) {}
}

final class SecondListener: FirstListener {
    func start() { self.listenOnce({ observer in { _ in observer.lost() } }) }

    private func lost() {}
}

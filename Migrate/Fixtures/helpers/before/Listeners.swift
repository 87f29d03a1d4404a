import Foundation

class FirstListener: Listener {
    override init() {
        super.init()
        listenOnce(#selector(found(_:)))
    }

    @objc private func found(_ note: Notification) {}
}

final class SecondListener: FirstListener {
    func start() { self.listenOnce(#selector(lost)) }

    @objc private func lost() {}
}

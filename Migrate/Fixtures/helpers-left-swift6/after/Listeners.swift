import Foundation

@MainActor final class Listener: NSObject, Listening {
    func start() { listenOnce(#selector(heard)) }
    @objc func heard() {}
}

final class Printer: Worker {
    func start() { listen(#selector(printed)) }
    @objc func printed() {}
}

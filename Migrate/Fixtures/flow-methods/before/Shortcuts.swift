import Foundation

final class Shortcuts: NSObject, Sendable {
    func start() { listenToAll(method: #selector(pressed(_:))) }
    func restart() { self.listenToAll(method: #selector(pressed(_:))) }

    private func listenToAll(method: Selector) {
        for number in 0..<3 { listen(to: number, method: method) }
    }

    private func listen(to number: Int, method: Selector) {
        NotificationCenter.default.addObserver(self, selector: method, name: .init("\(number)"), object: nil)
        NotificationCenter.default.addObserver(self, selector: method, name: .init("-\(number)"), object: nil)
    }

    func also() { observe(.init("all"), #selector(released(_:))) }
    func observe(_ name: Notification.Name, _ method: Selector) {
        NotificationCenter.default.addObserver(self, selector: method, name: name, object: nil)
    }

    @objc private func pressed(_ note: Notification) {}
    @objc private func released(_ note: Notification) {}
}

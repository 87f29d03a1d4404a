import Foundation

extension Selector {
    fileprivate static let changed = #selector(Client.changed(_:))
}

final class Client: NSObject {
    let moved = #selector(Client.moved)
    var late = #selector(Client.moved)

    func start() {
        NotificationCenter.default.addObserver(self, selector: .changed, name: nil, object: nil)
        NotificationCenter.default.addObserver(self, selector: Selector.changed, name: nil, object: nil)
        NotificationCenter.default.addObserver(self, selector: moved, name: nil, object: nil)
        NotificationCenter.default.addObserver(self, selector: late, name: nil, object: nil)
    }
    @objc func changed(_ note: Notification) {}
    @objc func moved(_ note: Notification) {}
}

import Foundation

final class Cache: NSObject {
    private static let always = [Notification.Name("a"): #selector(Cache.removeAll), .init("b"): #selector(Cache.removeOld)]
    private let both: [(name: Notification.Name, selector: Selector)] = [(.init("c"), #selector(Cache.removeAll))]

    func start() {
        let pairs: [(Notification.Name, Selector)]
        #if os(Linux)
        pairs = [(.init("d"), #selector(removeAll)), (.init("e"), #selector(removeOld as () -> Void))]
        #else
        pairs = []
        #endif
        pairs.forEach {
            NotificationCenter.default.addObserver(self, selector: $0.1, name: $0.0, object: nil)
        }
        for (name, method) in Cache.always {
            NotificationCenter.default.addObserver(self, selector: method, name: name, object: nil)
        }
        for entry in both {
            NotificationCenter.default.addObserver(self, selector: entry.selector, name: entry.name, object: nil)
        }
        [(Notification.Name("f"), #selector(removeAll)), (.init("g"), #selector(removeOld as () -> Void))].forEach {
            NotificationCenter.default.addObserver(self, selector: $1, name: $0, object: nil)
        }
    }

    func stop() {
        for entry in both { NotificationCenter.default.removeObserver(self, name: entry.name, object: nil) }
    }

    @objc private func removeAll() {}
    @objc private func removeOld() { removeOld(than: 1) }
    private func removeOld(than age: Int) {}
}

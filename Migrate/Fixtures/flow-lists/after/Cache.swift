import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

final class Cache: NSObject {
    private static let always = [Notification.Name("a"): Cache.removeAll, .init("b"): Cache.removeOld as (Cache) -> () -> Void]
    private let both: [(name: Notification.Name, selector: (Cache) -> () -> Void)] = [(.init("c"), Cache.removeAll)]

    func start() {
        let pairs: [(Notification.Name, (Cache) -> () -> Void)]
        #if os(Linux)
        pairs = [(.init("d"), Cache.removeAll), (.init("e"), Cache.removeOld as (Cache) -> () -> Void)]
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
        [(Notification.Name("f"), Cache.removeAll), (.init("g"), Cache.removeOld as (Cache) -> () -> Void)].forEach {
            NotificationCenter.default.addObserver(self, selector: $1, name: $0, object: nil)
        }
    }

    func stop() {
        for entry in both { NotificationCenter.default.removeObserver(self, name: entry.name, object: nil) }
    }

    private func removeAll() {}
    private func removeOld() { removeOld(than: 1) }
    private func removeOld(than age: Int) {}
}

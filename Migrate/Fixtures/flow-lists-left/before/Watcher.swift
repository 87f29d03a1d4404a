import Foundation

final class Watcher: NSObject {
    let seen: [(Notification.Name, Selector)] = [(.init("a"), #selector(Watcher.first))]
    private let kept: [(Notification.Name, Selector)] = [(.init("b"), #selector(Watcher.first))]
    private var changing: [Selector] = [#selector(Watcher.first)]
    private let labelled = [(name: Notification.Name("c"), method: #selector(Watcher.first))]

    func start(_ other: Selector) {
        for (name, method) in seen { observe(name, method) }
        for (name, method) in kept {
            NotificationCenter.default.addObserver(self, selector: method, name: name, object: nil)
        }
        print(kept.count)
        for method in changing {
            NotificationCenter.default.addObserver(self, selector: method, name: nil, object: nil)
        }
        changing = [other]
        labelled.forEach { entry in
            NotificationCenter.default.addObserver(self, selector: entry.method, name: entry.name, object: nil)
            print(entry.method)
        }
    }
    func observe(_ name: Notification.Name, _ method: Selector) {
        NotificationCenter.default.addObserver(self, selector: method, name: name, object: nil)
    }
    @objc func first() {}
}

@objcMembers final class Exposed: NSObject {
    func start() { listen(#selector(second)) }
    func listen(_ method: Selector) {
        NotificationCenter.default.addObserver(self, selector: method, name: nil, object: nil)
    }
    func second() {}
}

import Foundation

private typealias Center = NotificationCenter

struct Services {
    var center: NotificationCenter = .default
    static let live = Services()
}

extension NotificationCenter {
    static let app = NotificationCenter()
}

class CountingCenter: NotificationCenter, @unchecked Sendable {}

@MainActor final class Screen: NSObject {
    let services = Services()
    let counting = CountingCenter()
    var replaced: NotificationCenter?
    var late: NotificationCenter!

    func makeCenter() -> NotificationCenter { .default }

    func start(with other: Screen?) {
        Center.default.addObserver(self, selector: #selector(shown), name: .init("shown"), object: nil)
        services.center.addObserver(self, selector: #selector(shown), name: .init("shown"), object: nil)
        Services.live.center.addObserver(self, selector: #selector(shown), name: .init("shown"), object: nil)
        NotificationCenter.app.addObserver(self, selector: #selector(shown), name: .init("shown"), object: nil)
        counting.addObserver(self, selector: #selector(shown), name: .init("shown"), object: nil)
        replaced?.addObserver(self, selector: #selector(shown), name: .init("shown"), object: nil)
        late.addObserver(self, selector: #selector(shown), name: .init("shown"), object: nil)
        makeCenter().addObserver(self, selector: #selector(shown), name: .init("shown"), object: nil)
        if let other, let center = other.replaced {
            center.addObserver(other, selector: #selector(Screen.shown), name: .init("shown"), object: other)
        }
        let lock = NSLock()
        lock.withLock {
            NotificationCenter.default.addObserver(self, selector: #selector(shown), name: .init("shown"), object: nil)
        }
    }

    @objc func shown() {}
}

import Foundation

class Box<Value>: NSObject {
    @objc func filled(_ note: Notification) {}
    func start() {
        NotificationCenter.default.addObserver(self, selector: #selector(filled), name: nil, object: nil)
    }
}

final class IntBox: Box<Int> {
    func startAgain() {
        NotificationCenter.default.addObserver(self, selector: #selector(filled(_:)), name: nil, object: nil)
    }
}

func local(_ center: NotificationCenter) {
    final class Local: NSObject {
        @objc func heard() {}
        func start(_ center: NotificationCenter) {
            center.addObserver(self, selector: #selector(heard), name: nil, object: nil)
        }
    }
    Local().start(center)
    let later = { [weak weakCenter = center] in
        let watcher = Local()
        guard let center = weakCenter else { return }
        center.addObserver(watcher, selector: #selector(Local.heard), name: nil, object: nil)
    }
    later()
}

final class Closures: NSObject {
    @objc func heard() {}
    lazy var start: () -> Void = { [weak self] in
        guard let self else { return }
        NotificationCenter.default.addObserver(self, selector: #selector(heard), name: nil, object: nil)
    }
}

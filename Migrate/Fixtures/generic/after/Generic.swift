import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

class Box<Value>: NSObject {
    func filled(_ note: Notification) {}
    func start() {
        NotificationCenter.default.addObserver(self, selector: Box.filled, name: nil, object: nil)
    }
}

final class IntBox: Box<Int> {
    func startAgain() {
        NotificationCenter.default.addObserver(self, selector: Box.filled, name: nil, object: nil)
    }
}

func local(_ center: NotificationCenter) {
    final class Local: NSObject {
        func heard() {}
        func start(_ center: NotificationCenter) {
            center.addObserver(self, selector: Local.heard, name: nil, object: nil)
        }
    }
    Local().start(center)
    let later = { [weak weakCenter = center] in
        let watcher = Local()
        guard let center = weakCenter else { return }
        center.addObserver(watcher, selector: Local.heard, name: nil, object: nil)
    }
    later()
}

final class Closures: NSObject {
    func heard() {}
    lazy var start: () -> Void = { [weak self] in
        guard let self else { return }
        NotificationCenter.default.addObserver(self, selector: Closures.heard, name: nil, object: nil)
    }
}

import Foundation
import Library
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

@MainActor final class Screen: NSObject {
    func start(_ maybe: Screen?, _ flag: Bool) {
        let value: Void = NotificationCenter.default.addObserver(self, selector: Screen.shown, name: nil, object: nil)
        NotificationCenter.default.addObserver(self, selector: #selector(/* why */ shown), name: nil, object: nil)
        NotificationCenter.default.addObserver(self, // me
                                               selector: Screen.shown, name: nil, object: nil)
        NotificationCenter.default.addObserver(self, selector: flag ? #selector(shown) : #selector(hidden), name: nil, object: nil)
        NotificationCenter.default.addObserver(maybe, selector: #selector(Screen.shown), name: nil, object: nil)
        NotificationCenter.default.addObserver(self as AnyObject, selector: #selector(shown), name: nil, object: nil)
        NotificationCenter.default.observe(nil, with: self, { observer in { () in observer.free() } })
        NotificationCenter.default.observe(nil, with: self, { observer in { () in MainActor.assumeIsolated { _ = observer.counted() } } }, on: .main)
    }
    @objc func shown() {}
    @objc func hidden() {}
    nonisolated func free() {}
    func counted() -> Int { 1 }
}

import Foundation

@objc protocol Listening { func heard(_ note: Notification) }

public class Published: NSObject, Listening {
    func start() {
        let center = NotificationCenter.default
        center.addObserver(self, selector: #selector(shared), name: nil, object: nil)
        center.addObserver(self, selector: #selector(used), name: nil, object: nil)
        center.addObserver(self, selector: #selector(heard), name: nil, object: nil)
        center.addObserver(self, selector: #selector(spelled), name: nil, object: nil)
        center.addObserver(self, selector: #selector(named), name: nil, object: nil)
        center.addObserver(self, selector: #selector(live), name: nil, object: nil)
        center.addObserver(self, selector: #selector(alone), name: nil, object: nil)
        perform(#selector(used))
        perform(Selector(("spelled:")))
    }
    @objc public func shared() {}
    @objc func used() {}
    @objc func heard(_ note: Notification) {}
    @objc func spelled(_ note: Notification) {}
    @objc(other) func named() {}
    @objc dynamic func live() {}
    @objc func alone() {}
}

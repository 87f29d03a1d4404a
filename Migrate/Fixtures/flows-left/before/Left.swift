import Foundation

public final class Left: NSObject, Sendable {
    func start() {
        mixed(#selector(drawn(_:)))
        mixed(#selector(full(_:)))
        stored(#selector(plain))
        kept(#selector(plain))
        open(#selector(plain))
        let other = #selector(plain)
        given(other)
    }
    private func mixed(_ method: Selector) {
        NotificationCenter.default.addObserver(self, selector: method, name: nil, object: nil)
    }
    private func stored(_ method: Selector) {
        NotificationCenter.default.addObserver(self, selector: method, name: nil, object: nil)
        print(method)
    }
    private func kept(_ method: Selector) {
        NotificationCenter.default.addObserver(self, selector: method, name: nil, object: nil)
    }
    func keep() -> (Selector) -> Void { kept }
    public func open(_ method: Selector) {
        NotificationCenter.default.addObserver(self, selector: method, name: nil, object: nil)
    }
    private func given(_ method: Selector) {
        NotificationCenter.default.addObserver(self, selector: method, name: nil, object: nil)
    }
    @objc func plain() {}
    @objc func full(_ note: Notification) {}
    @MainActor @objc func drawn(_ note: NSNotification) {}
}

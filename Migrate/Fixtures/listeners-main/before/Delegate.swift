import AppKit
import Combine

final class Delegate: NSObject, NSApplicationDelegate {
    private var tokens: Set<AnyCancellable> = []

    func applicationDidFinishLaunching(_ notification: Notification) {
        let center = NotificationCenter.default
        center.addObserver(self, selector: #selector(moved), name: NSWindow.didMoveNotification, object: nil)
        center.publisher(for: NSWindow.didMoveNotification).sink { _ in }.store(in: &tokens)
        center.post(name: NSWindow.didMoveNotification, object: nil)
    }

    @objc func moved() {}
}

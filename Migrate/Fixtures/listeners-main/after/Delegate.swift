import AppKit
import Combine
import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

final class Delegate: NSObject, NSApplicationDelegate {
    private var tokens: Set<AnyCancellable> = []

    func applicationDidFinishLaunching(_ notification: Notification) {
        let center = NotificationCenter.default
        center.observe(NSWindow.didMoveNotification, with: self, Delegate.moved, on: .main)
        Foundation.NotificationCenter.default.publisher(for: NSWindow.didMoveNotification).sink { _ in }.store(in: &tokens)
        center.post(name: NSWindow.didMoveNotification, object: nil)
    }

    func moved() {}
}

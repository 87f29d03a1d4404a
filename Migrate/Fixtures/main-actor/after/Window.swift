import Dispatch
import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

@MainActor class Window: NSObject {
    override init() {
        super.init()
        NotificationCenter.default.observe(.init("closed"), with: self, Window.closed, on: .main)
        NotificationCenter.default.observe(
            .init("moved"),
            of: self,
            with: self,
            Window.moved,
            on: .main
        )
        NotificationCenter.default.addObserver(
            self, selector: Window.free, name: .init("moved"), object: nil)
    }

    func closed() {}
    func moved(_ note: NSNotification) {}
    nonisolated func free(_ note: Notification) {}
}

final class Sheet: Window {
    func start() {
        NotificationCenter.default.observe(
            .init("opened"),
            with: self,
            Sheet.opened,
            on: .main
        )
    }
    private func opened(_ note: Notification) {}
}

final class Model: NSObject {
    func start() {
        NotificationCenter.default.observe(.init("changed"), with: self, Model.changed, on: .main)
    }
    @MainActor func changed() {}
}

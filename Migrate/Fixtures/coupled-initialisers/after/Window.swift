import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

final class Window {
    private let catalogue = Catalogue()

    func observe() {
        NotificationCenter.default.addObserver(
            self, selector: Window.changed, name: .changed, object: catalogue)
    }

    private func changed() {}
}

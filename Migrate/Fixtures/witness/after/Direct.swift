import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

final class Direct: NSObject {
    func start() {
        NotificationCenter.default.addObserver(
            self, selector: Direct.moved, name: .init("changed"), object: nil)
    }

    private func moved() {}
}

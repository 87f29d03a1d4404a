import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

/// The class of two programs, each of which has the method in a file of its own.
final class Dispatch {
    func start() {
        NotificationCenter.default.addObserver(self, selector: Dispatch.received, name: .init("a"), object: nil)
        NotificationCenter.default.addObserver(self, selector: #selector(ended), name: .init("b"), object: nil)
    }
}

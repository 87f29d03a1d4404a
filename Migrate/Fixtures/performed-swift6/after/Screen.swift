import Library
import Switchyard
import UIKit
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

/// Library's class has the method `reload`.
final class Screen: LibraryController {
    func start() {
        NotificationCenter.default.addObserver(self, selector: #selector(reload), name: .init("a"), object: nil)
    }
}

import Library
import Switchyard
import UIKit
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

/// The class has a type of its own that is called like the one of selectors.
final class Menu: LibraryController {
    enum Selector { case first }

    func start() {
        NotificationCenter.default.addObserver(self, selector: #selector(reload), name: .init("j"), object: nil)
    }
}

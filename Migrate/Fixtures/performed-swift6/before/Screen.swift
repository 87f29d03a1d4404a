import Library
import UIKit

/// Library's class has the method `reload`.
final class Screen: LibraryController {
    func start() {
        NotificationCenter.default.addObserver(self, selector: #selector(reload), name: .init("a"), object: nil)
    }
}

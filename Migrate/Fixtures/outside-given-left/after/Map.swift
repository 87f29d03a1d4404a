import Library
import UIKit

final class Map: UIViewController {
    func start(_ application: Application) {
        application.other.addObserver(self, selector: #selector(changed), name: .init("changed"), object: nil)
        _ = LibraryPlanner(center: application.other)
    }
    @objc private func changed() {}
}

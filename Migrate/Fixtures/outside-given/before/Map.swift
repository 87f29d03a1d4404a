import Library
import UIKit

final class Map: UIViewController {
    private let application: Application
    init(application: Application) { self.application = application }

    func start(_ session: LibrarySession) {
        application.center.addObserver(self, selector: #selector(changed), name: .init("changed"), object: nil)
        _ = LibraryPlanner(center: application.center)
        session.libraryCenter = NotificationCenter.default
    }
    @objc private func changed() {}
}

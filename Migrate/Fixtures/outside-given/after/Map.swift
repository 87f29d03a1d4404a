import Library
import UIKit
import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

final class Map: UIViewController {
    private let application: Application
    init(application: Application) { self.application = application }

    func start(_ session: LibrarySession) {
        application.center.observe(.init("changed"), with: self, Map.changed, on: .main)
        _ = LibraryPlanner(center: Foundation.NotificationCenter.default)
        session.libraryCenter = Foundation.NotificationCenter.default
    }
    private func changed() {}
}

import Foundation

final class Tracker: NSObject {
    private let center: Observing

    init(center: Observing) { self.center = center }

    func start() {
        center.addObserver(self, selector: #selector(changed), name: .init("changed"), object: nil)
    }

    @objc private func changed() {}
}

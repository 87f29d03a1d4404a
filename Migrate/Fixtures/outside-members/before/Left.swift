import Combine
import UIKit

final class Left: NSObject {
    private var mine = NotificationCenter.default
    func start() {
        mine.addObserver(self, selector: #selector(changed), name: .init("changed"), object: nil)
        _ = mine.publisher(for: .init("changed"))
    }
    @objc func changed() {}
}

import Combine
import RxCocoa
import UIKit

final class Model: NSObject {
    private let center = NotificationCenter.default
    private var changing = NotificationCenter.default

    func start() {
        center.addObserver(self, selector: #selector(changed), name: .init("changed"), object: nil)
        _ = NotificationCenter.default.rx.notification(.init("changed"))
        _ = center.publisher(for: .init("changed"))
        _ = self.center.rx.notification(.init("changed"))
    }
    @objc func changed() {}
}

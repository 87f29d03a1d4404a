import Combine
import Foundation
import RxCocoa
import Switchyard
import UIKit
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

final class Model: NSObject {
    private let center = NotificationCenter.default
    private var changing = NotificationCenter.default

    func start() {
        center.addObserver(self, selector: Model.changed, name: .init("changed"), object: nil)
        _ = Foundation.NotificationCenter.default.rx.notification(.init("changed"))
        _ = Foundation.NotificationCenter.default.publisher(for: .init("changed"))
        _ = Foundation.NotificationCenter.default.rx.notification(.init("changed"))
    }
    @objc func changed() {}
}

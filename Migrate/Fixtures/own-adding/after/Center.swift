import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

extension NotificationCenter {
    public static func addObserver(_ observer: Any, selector: Selector, text: String) {
        NotificationCenter.default.addObserver(observer, selector: selector, name: .init(text), object: nil)
    }
}

final class Client: NSObject {
    func start() { NotificationCenter.addObserver(self, selector: #selector(changed), text: "changed") }
    @objc private func changed() {}
}

import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

final class Panel {
    init?(title: String, isOpen: Bool = true) {}
    init?(coder: NSCoder) {}

    func start(_ coder: NSCoder) {
        // Both are optionals.
        let panel = Panel(title: "a")
        NotificationCenter.default.addObserver(panel, selector: #selector(moved), name: .init("moved"), object: nil)
        let decoded = Panel(coder: coder)
        NotificationCenter.default.addObserver(decoded, selector: #selector(moved), name: .init("moved"), object: nil)
    }

    @objc func moved() {}
}

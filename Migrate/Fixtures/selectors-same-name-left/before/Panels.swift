import Foundation

class Panel: NSObject {
    @objc func refresh(_ notification: Notification) {}
    @objc(redraw) func draw() {}
}

final class Toolbar: NSObject {
    func start() {
        NotificationCenter.default.addObserver(
            self, selector: #selector(Panel.refresh(_:)), name: .init("changed"), object: nil)
        NotificationCenter.default.addObserver(
            self, selector: #selector(Panel.draw), name: .init("changed"), object: nil)
    }

    func refresh(with notification: Notification) {}
    @objc func draw() {}
}

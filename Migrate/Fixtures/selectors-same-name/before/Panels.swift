import Foundation

class Panel: NSObject {
    @objc func refresh(_ notification: Notification) {}
    @objc(redraw) func draw() {}
}

final class Sidebar: NSObject {
    func start() {
        NotificationCenter.default.addObserver(
            self, selector: #selector(Panel.refresh(_:)), name: .init("changed"), object: nil)
    }

    @objc func refresh(_ notification: Notification) {}
}

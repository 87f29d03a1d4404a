import Foundation

final class Captured: NSObject {
    func start() {
        NotificationCenter.default.do { [weak self] in
            $0.addObserver(self, selector: #selector(changed), name: nil, object: nil)
        }
    }
    @objc func changed() {}
}

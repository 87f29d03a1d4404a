import Foundation

final class Client: NSObject {
    func start() {
        NotificationCenter.default.addObserver(self, selector: #selector(changed), name: nil, object: nil)
    }
    @objc func changed() {}
}

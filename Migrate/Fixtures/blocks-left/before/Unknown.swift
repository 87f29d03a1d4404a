import Foundation

final class Unknown: NSObject {
    func start() {
        NotificationCenter.default.later {
            $0.addObserver(self, selector: #selector(changed), name: nil, object: nil)
        }
        let center = NotificationCenter.default.then {
            $0.addObserver(self, selector: #selector(changed), name: nil, object: nil)
        }
        center.removeObserver(self)
    }
    @objc func changed() {}
}

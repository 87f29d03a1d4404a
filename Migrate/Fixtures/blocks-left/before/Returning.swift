import Foundation

final class Returning: NSObject {
    func start(_ isNeeded: Bool) {
        NotificationCenter.default.do {
            guard isNeeded else { return }
            $0.addObserver(self, selector: #selector(changed), name: nil, object: nil)
        }
        print("started")
    }
    @objc func changed() {}
}

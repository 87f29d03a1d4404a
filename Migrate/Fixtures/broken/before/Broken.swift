import Foundation

final class Broken: NSObject {
    func start( {
        NotificationCenter.default.addObserver(self, selector: #selector(heard), name: nil, object: nil)
    }
    @objc func heard() {}
}

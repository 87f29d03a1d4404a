import Foundation
#if os(Linux)
import FoundationNetworking
#endif

class Branches: NSObject {
    func start() {
        #if os(Linux)
        NotificationCenter.default.addObserver(self, selector: #selector(a), name: nil, object: nil)
        #endif
        #if DEBUG
        NotificationCenter.default.addObserver(self, selector: #selector(b), name: nil, object: nil)
        #else
        NotificationCenter.default.addObserver(self, selector: #selector(c), name: nil, object: nil)
        #endif
        #if os(macOS)
        NotificationCenter.default.addObserver(self, selector: #selector(d), name: nil, object: nil)
        #endif
    }
    #if os(Linux)
    func a(_ note: Notification) {}
    #else
    @objc func a(_ note: Any) {}
    #endif
    @objc func b() {}
    @objc func c() {}
    #if os(macOS)
    @objc func d() {}
    #endif
}

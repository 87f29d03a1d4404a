import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue
#if os(Linux)
import FoundationNetworking
#endif

class Branches: NSObject {
    func start() {
        #if os(Linux)
        NotificationCenter.default.addObserver(self, selector: Branches.a, name: nil, object: nil)
        #endif
        #if DEBUG
        NotificationCenter.default.addObserver(self, selector: Branches.b, name: nil, object: nil)
        #else
        NotificationCenter.default.addObserver(self, selector: Branches.c, name: nil, object: nil)
        #endif
        #if os(macOS)
        NotificationCenter.default.addObserver(self, selector: #selector(d), name: nil, object: nil)
        #endif
    }
    #if os(Linux)
    func a(_ note: Notification) {}
    #else
    func a(_ note: Any) {}
    #endif
    func b() {}
    func c() {}
    #if os(macOS)
    @objc func d() {}
    #endif
}

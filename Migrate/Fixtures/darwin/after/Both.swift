#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import Foundation
#if !canImport(Darwin)
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue
#endif

class Both: NSObject {
    override init() {
        super.init()
        #if canImport(Darwin)
        NotificationCenter.default.addObserver(
            self,
            selector: #selector(changed),
            name: .init("changed"),
            object: nil
        )
        #else
        NotificationCenter.default.addObserver(
            self,
            selector: Both.changed,
            name: .init("changed"),
            object: nil
        )
        #endif
    }

    #if canImport(Darwin)
    @objc
    #endif
    private func changed(_ note: Notification) {}
}

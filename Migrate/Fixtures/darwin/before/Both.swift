#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import Foundation

class Both: NSObject {
    override init() {
        super.init()
        NotificationCenter.default.addObserver(
            self,
            selector: #selector(changed),
            name: .init("changed"),
            object: nil
        )
    }

    @objc private func changed(_ note: Notification) {}
}

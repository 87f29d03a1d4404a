import Foundation
import Switchyard

final class Client: NSObject {
    func start() {
        NotificationCenter.default.addObserver(self, selector: Client.changed, name: nil, object: nil)
    }
    func changed() {}
}

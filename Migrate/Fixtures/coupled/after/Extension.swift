import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

extension NotificationCenter {
    func postSomething() { post(name: .init("something"), object: nil) }
}

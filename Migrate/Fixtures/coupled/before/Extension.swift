import Foundation

extension NotificationCenter {
    func postSomething() { post(name: .init("something"), object: nil) }
}

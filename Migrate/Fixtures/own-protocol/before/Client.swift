import Foundation

final class Client {
    var center: NotificationCenter!
    func start() { center.post(Notification(name: .init("a"))) }
}

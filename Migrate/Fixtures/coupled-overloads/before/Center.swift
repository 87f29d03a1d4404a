import Combine
import Foundation

extension NotificationCenter {
    func addObserver(
        forName name: Notification.Name?, object: String, queue: OperationQueue?,
        using block: @escaping (Notification) -> Void
    ) -> Any {
        publisher(for: name ?? .init("any"), object: object as NSString).sink(receiveValue: block)
    }
}

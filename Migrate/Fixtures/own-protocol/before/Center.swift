import Foundation

protocol NotificationCenter {
    func post(_ notification: Notification)
}

extension Foundation.NotificationCenter: NotificationCenter {}

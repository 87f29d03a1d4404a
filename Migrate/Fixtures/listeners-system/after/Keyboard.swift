import Combine
import Foundation
import Switchyard
import UIKit
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

final class Keyboard {
    private var tokens: Set<AnyCancellable> = []

    init() {
        Foundation.NotificationCenter.default.publisher(for: UIResponder.keyboardWillShowNotification)
            .merge(with: Foundation.NotificationCenter.default.publisher(for: .NSCalendarDayChanged))
            .merge(with: Foundation.NotificationCenter.default.publisher(for: UserDefaults.didChangeNotification))
            .sink { _ in NotificationCenter.default.post(name: Keyboard.moved, object: nil) }
            .store(in: &tokens)
    }

    static let moved = Notification.Name("moved")
}

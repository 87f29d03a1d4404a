import Combine
import UIKit

final class Keyboard {
    private var tokens: Set<AnyCancellable> = []

    init() {
        NotificationCenter.default.publisher(for: UIResponder.keyboardWillShowNotification)
            .merge(with: NotificationCenter.default.publisher(for: .NSCalendarDayChanged))
            .merge(with: NotificationCenter.default.publisher(for: UserDefaults.didChangeNotification))
            .sink { _ in NotificationCenter.default.post(name: Keyboard.moved, object: nil) }
            .store(in: &tokens)
    }

    static let moved = Notification.Name("moved")
}

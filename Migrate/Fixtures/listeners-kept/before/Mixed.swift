import Combine
import UIKit

final class Mixed {
    init(mixed: NotificationCenter) {
        _ = mixed.publisher(for: UIResponder.keyboardWillShowNotification)
        mixed.post(name: Desk.cleared, object: nil)
    }
}

import Combine
import UIKit

final class Keyboard {
    private var tokens: Set<AnyCancellable> = []

    init(center: NotificationCenter = .default) {
        center.publisher(for: UIResponder.keyboardWillShowNotification).sink { _ in }
            .store(in: &tokens)
        center
            .publisher(for: UIResponder.keyboardWillHideNotification).sink { _ in }
            .store(in: &tokens)
        center.publisher(for: Desk.cleared).sink { _ in }.store(in: &tokens)
    }
}

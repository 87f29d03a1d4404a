import Foundation

enum Change: String { case moved }

extension NotificationCenter {
    func addObserver(for change: Change, using block: @escaping @Sendable (Notification) -> Void) -> NSObjectProtocol {
        addObserver(forName: .init(change.rawValue), object: nil, queue: nil, using: block)
    }
}

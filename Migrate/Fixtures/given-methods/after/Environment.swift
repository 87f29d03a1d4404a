import UIKit

/// The system as the program sees it.
enum Environment {
    struct NotificationCenter {
        var add: (_ observer: Any, _ selector: Selector, _ name: NSNotification.Name?, _ object: Any?) -> Void
        var remove: (_ observer: Any) -> Void
    }
}

// Foundation's center: an extension sees no type that lies beside the one it extends.
extension Environment.NotificationCenter {
    static let live = Self(
        add: NotificationCenter.default.addObserver,
        remove: NotificationCenter.default.removeObserver
    )
}

extension Environment {
    // The environment's own.
    static func center() -> NotificationCenter { .live }
}

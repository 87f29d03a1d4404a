import Foundation

extension Controller {
    /// Called when something was added elsewhere.
    func elsewhere(_ notification: Foundation.Notification) {}
}

final class Helper: NSObject {
    static let shared = Helper()

    func help() {}
}

import Foundation

extension Controller {
    /// Called when something was added elsewhere.
    @objc func elsewhere(_ notification: Foundation.Notification) {}
}

final class Helper: NSObject {
    static let shared = Helper()

    @objc
    func help() {}
}

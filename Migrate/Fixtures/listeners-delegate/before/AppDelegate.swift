import RxCocoa
import UIKit

class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication, didFinishLaunchingWithOptions options: [String: Any]?
    ) -> Bool { true }
}

class Quiet: UIResponder, UIApplicationDelegate {
    func applicationDidFinishLaunching(_ application: UIApplication) {}
}

class Answering: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication, didFinishLaunchingWithOptions options: [String: Any]?
    ) -> Bool { // nothing else
        options?.isEmpty != false
    }
}

final class Second: NSObject, UIApplicationDelegate {
    func application(
        _ application: UIApplication, didFinishLaunchingWithOptions options: [String: Any]?
    ) -> Bool {
        application.applicationIconBadgeNumber = 0
        _ = Library.listener(on: NotificationCenter.default)
        _ = NotificationCenter.default
            .rx.notification(Second.opened)
        NotificationCenter.default.post(name: Second.opened, object: nil)
        return true
    }

    func application(
        _ application: UIApplication, willFinishLaunchingWithOptions options: [String: Any]?
    ) -> Bool {
        // Nothing was drawn yet.
        application.applicationIconBadgeNumber = 1
        return true
    }

    static let opened = Notification.Name("opened")
}

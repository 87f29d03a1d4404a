import RxCocoa
import UIKit
import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication, didFinishLaunchingWithOptions options: [String: Any]?
    ) -> Bool {
        // What listens on Foundation's center hears the posts of Switchyard's, too.
        NotificationCenter.default.postsToFoundation = true
        return true
    }
}

class Quiet: UIResponder, UIApplicationDelegate {
    func applicationDidFinishLaunching(_ application: UIApplication) {
        // What listens on Foundation's center hears the posts of Switchyard's, too.
        NotificationCenter.default.postsToFoundation = true
    }
}

class Answering: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication, didFinishLaunchingWithOptions options: [String: Any]?
    ) -> Bool { // nothing else
        // What listens on Foundation's center hears the posts of Switchyard's, too.
        NotificationCenter.default.postsToFoundation = true
        return options?.isEmpty != false
    }
}

final class Second: NSObject, UIApplicationDelegate {
    func application(
        _ application: UIApplication, didFinishLaunchingWithOptions options: [String: Any]?
    ) -> Bool {
        application.applicationIconBadgeNumber = 0
        _ = Library.listener(on: Foundation.NotificationCenter.default)
        _ = Foundation.NotificationCenter.default
            .rx.notification(Second.opened)
        NotificationCenter.default.post(name: Second.opened, object: nil)
        return true
    }

    func application(
        _ application: UIApplication, willFinishLaunchingWithOptions options: [String: Any]?
    ) -> Bool {
        // What listens on Foundation's center hears the posts of Switchyard's, too.
        NotificationCenter.default.postsToFoundation = true
        // Nothing was drawn yet.
        application.applicationIconBadgeNumber = 1
        return true
    }

    static let opened = Notification.Name("opened")
}

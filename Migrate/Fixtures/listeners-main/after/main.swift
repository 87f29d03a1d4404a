import AppKit
import Combine
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

// What listens on Foundation's center hears the posts of Switchyard's, too.
NotificationCenter.default.postsToFoundation = true
let delegate = Delegate()
NSApplication.shared.delegate = delegate
NSApplication.shared.run()

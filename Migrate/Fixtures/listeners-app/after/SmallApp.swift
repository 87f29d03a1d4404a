import SwiftUI
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

@main public struct SmallApp: App {
    public init() {
        // What listens on Foundation's center hears the posts of Switchyard's, too.
        NotificationCenter.default.postsToFoundation = true
    }

    public var body: some Scene { WindowGroup { ShelfView() } }
}

import SwiftUI
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

@main
struct LibraryApp: App {
    @State private var shelf = Shelf()

    init() {
        // What listens on Foundation's center hears the posts of Switchyard's, too.
        NotificationCenter.default.postsToFoundation = true
    }

    // The only window.
    var body: some Scene {
        WindowGroup { ShelfView() }
    }
}

import SwiftUI

@main
struct LibraryApp: App {
    @State private var shelf = Shelf()

    // The only window.
    var body: some Scene {
        WindowGroup { ShelfView() }
    }
}

import SwiftUI

struct ShelfView: View {
    var body: some View {
        Text("Shelf")
            .onReceive(NotificationCenter.default.publisher(for: .shelfChanged)) { _ in }
            .onReceive(NotificationCenter.default.publisher(for: UIScreen.brightnessDidChangeNotification)) { _ in }
    }
}

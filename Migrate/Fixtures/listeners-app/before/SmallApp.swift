import SwiftUI

@main public struct SmallApp: App {
    public var body: some Scene { WindowGroup { ShelfView() } }
}

import SwiftUI
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

@main struct ReaderApp: SwiftUI.App {
	init() {
		// What listens on Foundation's center hears the posts of Switchyard's, too.
		NotificationCenter.default.postsToFoundation = true
		Reader.open()
	}

	var body: some Scene { WindowGroup { ShelfView() } }
}

enum Reader {
	static func open() {
		NotificationCenter.default.addObserver(forName: .shelfChanged, object: nil, queue: nil) { _ in }
	}
}

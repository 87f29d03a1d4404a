import SwiftUI

@main struct ReaderApp: SwiftUI.App {
	init() { Reader.open() }

	var body: some Scene { WindowGroup { ShelfView() } }
}

enum Reader {
	static func open() {
		NotificationCenter.default.addObserver(forName: .shelfChanged, object: nil, queue: nil) { _ in }
	}
}

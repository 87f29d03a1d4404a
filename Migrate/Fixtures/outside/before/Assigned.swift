import Foundation
import Library

func configure(_ session: LibrarySession) { session.libraryCenter = NotificationCenter.default }

import Foundation
import Library

let library = LibraryObject(center: NotificationCenter.default)
